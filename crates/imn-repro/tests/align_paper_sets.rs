//! Alignment of the paper's sets with the official raw text, if the data is present.

use imn_repro::sets::{PaperSet, SetPart};

#[test]
fn almost_all_sentences_are_aligned_and_tokens_agree() {
    let Some(data) = imn_testkit::shared_data() else {
        return;
    };
    let (mut all, mut aligned, mut found, mut agree, mut aspects, mut same) = (0, 0, 0, 0, 0, 0);
    for set in PaperSet::ALL {
        for part in SetPart::ALL {
            let labelled = set.read(&data, part).unwrap();
            let done = set.align(&data, part).unwrap();
            assert_eq!(done.sentences.len() + done.unaligned.len(), labelled.len());
            for (sentence, source) in done.sentences.iter().zip(&done.sources) {
                let from = &labelled[*source];
                assert_eq!(sentence.aspects.len(), from.aspects.len());
                assert_eq!(
                    sentence.opinions.as_ref().unwrap().len(),
                    from.opinions.as_ref().unwrap().len()
                );
                for (there, here) in sentence.aspects.iter().zip(&from.aspects) {
                    assert_eq!(there.polarity, here.polarity);
                }
            }
            all += labelled.len();
            aligned += done.sentences.len();
            found += done.agreement.found;
            agree += done.agreement.agree;
            aspects += done
                .sentences
                .iter()
                .map(|s| s.aspects.len())
                .sum::<usize>();
            same += done.cross_check.same;
        }
    }
    assert!(aligned * 1000 >= all * 980, "{aligned} of {all} aligned");
    assert!(agree * 1000 >= found * 987, "{agree} of {found} agree");
    assert_eq!(
        aspects, same,
        "aspects that the official files mark in the same way"
    );
}
