//! The shapes of what each network predicts.

use imn::model::{Network, SentenceBatch};
use imn_nn::{Params, Tape};
use imn_repro::systems::{
    Alstm, AlstmConfig, AspectSentiment, AspectSentimentConfig, Cmla, CmlaConfig, DTrans,
    DTransConfig, Decnn, DecnnConfig, Inabsa, InabsaConfig, Mnn, MnnConfig,
};

use crate::fixture::{network, sentences};

#[test]
fn every_network_has_the_shapes_of_its_labels() {
    let sentences = sentences();
    let shard = SentenceBatch::to_predict(sentences.iter().collect());
    let check = |network: &dyn Network, params: &Params<f32>, aspects: Option<[usize; 2]>| {
        let mut tape = Tape::infer(params);
        let said = network.predict(&mut tape, &shard);
        assert_eq!(said.len(), 2);
        if let Some(counts) = aspects {
            assert_eq!([said[0].aspects.len(), said[1].aspects.len()], counts);
            assert!(
                said[0]
                    .aspects
                    .iter()
                    .all(|aspect| aspect.polarity.is_some())
            );
        }
        for (said, sentence) in said.iter().zip(&sentences) {
            let words = sentence.features.ids().len();
            assert!(said.aspects.iter().all(|aspect| aspect.span.end <= words));
            assert!(said.opinion.is_empty() || said.opinion.len() == words);
            assert!(said.opinion.iter().all(|p| (0.0..=1.0).contains(p)));
        }
        let loss = network.loss(&mut tape, &shard);
        assert_eq!(tape.value(loss).len(), 1);
        assert!(tape.scalar(loss) > 0.0);
    };
    let given = Some([0, 2]);
    macro_rules! check {
        ($network:ident, $config:expr, $aspects:expr) => {{
            let (made, params) =
                network(|builder, setting| $network::new(builder, &$config, setting));
            check(&made, &params, $aspects);
        }};
    }
    check!(
        Decnn,
        DecnnConfig {
            filters: 4,
            ..DecnnConfig::default()
        },
        None
    );
    check!(
        Cmla,
        CmlaConfig {
            hidden: 4,
            slices: 2,
            ..CmlaConfig::default()
        },
        None
    );
    check!(
        Alstm,
        AlstmConfig {
            hidden: 3,
            ..AlstmConfig::default()
        },
        given
    );
    check!(
        DTrans,
        DTransConfig {
            hidden: 3,
            ..DTransConfig::default()
        },
        given
    );
    check!(
        AspectSentiment,
        AspectSentimentConfig {
            filters: 4,
            ..AspectSentimentConfig::default()
        },
        given
    );
    check!(
        Mnn,
        MnnConfig {
            hidden: 3,
            ..MnnConfig::default()
        },
        None
    );
    check!(
        Inabsa,
        InabsaConfig {
            hidden: 3,
            ..InabsaConfig::default()
        },
        None
    );
}
