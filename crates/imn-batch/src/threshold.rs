//! Only what is sure enough.

use imn::analyze::Analysis;

/// Leaves out terms whose confidence is below `least`, and links to opinions that are left out.
#[must_use]
pub fn keep_sure(mut analysis: Analysis, least: f32) -> Analysis {
    if least <= 0.0 {
        return analysis;
    }
    let mut kept = 0;
    let numbers: Vec<Option<usize>> = analysis
        .opinions
        .iter()
        .map(|opinion| {
            let keep = opinion.confidence >= least;
            kept += usize::from(keep);
            keep.then(|| kept - 1)
        })
        .collect();
    analysis
        .opinions
        .retain(|opinion| opinion.confidence >= least);
    analysis
        .aspects
        .retain(|aspect| aspect.span_confidence >= least);
    for aspect in &mut analysis.aspects {
        aspect.opinions.retain_mut(|link| {
            let number = numbers.get(link.opinion).copied().flatten();
            link.opinion = number.unwrap_or_default();
            number.is_some()
        });
    }
    analysis
}

#[cfg(test)]
mod tests {
    use imn::analyze::{FoundAspect, FoundOpinion, LinkedOpinion};
    use imn::data::Polarity;

    use super::*;

    #[test]
    fn links_follow_the_opinions_that_stay() {
        let opinion = |confidence| FoundOpinion {
            term: "warm".to_owned(),
            start: 0,
            end: 4,
            confidence,
        };
        let link = |opinion| LinkedOpinion {
            opinion,
            weight: 0.5,
        };
        let aspect = |span_confidence| FoundAspect {
            term: "tea".to_owned(),
            start: 5,
            end: 8,
            sentiment: Polarity::Positive,
            span_confidence,
            sentiment_confidence: 0.1,
            opinions: vec![link(0), link(1)],
        };
        let analysis = Analysis {
            sentiment: None,
            aspects: vec![aspect(0.9), aspect(0.2)],
            opinions: vec![opinion(0.3), opinion(0.8)],
        };
        assert_eq!(keep_sure(analysis.clone(), 0.0), analysis);
        let sure = keep_sure(analysis, 0.5);
        assert_eq!((sure.aspects.len(), sure.opinions.len()), (1, 1));
        assert_eq!(sure.aspects[0].opinions, [link(0)]);
    }
}
