//! The list of systems. A new system is one entry here, and its network one file in `systems/`.
//!
//! Parts come before the pipelines that use them. Each table shows its systems in this order, which
//! is the paper's. Values are the paper's means of five runs on D1, D2 and D3.

use super::{Base, Composition, PaperValues, SystemEntry, SystemEntry as S};
use crate::tables::Table;

const WITHOUT_OPINIONS: &[&str] = &["opinions=unused"];

/// The settings file of a compared network.
macro_rules! baseline_settings {
    ($name:literal) => {
        include_str!(concat!("../../../../configs/baselines/", $name, ".toml"))
    };
}

const fn imn_no_docs(changes: &'static [&'static str]) -> Composition {
    let base = Base::ImnNoDocs;
    Composition::Imn { base, changes }
}

const fn imn(changes: &'static [&'static str]) -> Composition {
    let base = Base::Imn;
    Composition::Imn { base, changes }
}

const fn network(settings: &'static str, changes: &'static [&'static str]) -> Composition {
    Composition::Network { settings, changes }
}

const fn pipeline(extractor: &'static str, classifier: &'static str) -> Composition {
    Composition::Pipeline {
        extractor,
        classifier,
    }
}

/// Every system of the comparison.
pub(super) const SYSTEMS: &[SystemEntry] = &[
    S::part("decnn", network(baseline_settings!("decnn"), &[]))
        .reported(PaperValues::ExtractorOf("decnn-alstm")),
    S::part("cmla", network(baseline_settings!("cmla"), &[]))
        .reported(PaperValues::ExtractorOf("cmla-alstm")),
    S::part("alstm", network(baseline_settings!("alstm"), &[])),
    S::part("dtrans", network(baseline_settings!("dtrans"), &[])),
    S::part(
        "aspect-sentiment",
        network(baseline_settings!("aspect-sentiment"), &[]),
    ),
    S::baseline("cmla-alstm", pipeline("cmla", "alstm"))
        .shown(&[(Table::Main, "CMLA-ALSTM")])
        .reported(PaperValues::All([
            [82.45, 82.67, 77.46, 68.70, 63.87],
            [76.80, 77.33, 70.25, 66.67, 53.68],
            [68.55, 71.07, 81.03, 58.91, 54.79],
        ])),
    S::baseline("cmla-dtrans", pipeline("cmla", "dtrans"))
        .shown(&[(Table::Main, "CMLA-dTrans")])
        .reported(PaperValues::All([
            [82.45, 82.67, 79.58, 72.23, 65.34],
            [76.80, 77.33, 72.38, 69.52, 55.56],
            [68.55, 71.07, 82.27, 66.45, 56.09],
        ])),
    S::baseline("decnn-alstm", pipeline("decnn", "alstm"))
        .shown(&[(Table::Main, "DECNN-ALSTM")])
        .reported(PaperValues::All([
            [83.94, 85.60, 77.79, 68.50, 65.26],
            [78.38, 78.81, 70.46, 66.78, 55.05],
            [68.32, 71.22, 80.32, 57.25, 55.10],
        ])),
    S::baseline("decnn-dtrans", pipeline("decnn", "dtrans"))
        .seeds(5)
        .shown(&[(Table::Main, "DECNN-dTrans")])
        .reported(PaperValues::All([
            [83.94, 85.60, 80.04, 73.31, 67.25],
            [78.38, 78.81, 73.10, 70.63, 56.60],
            [68.32, 71.22, 82.65, 69.58, 56.28],
        ])),
    S::baseline("pipeline", pipeline("decnn", "aspect-sentiment"))
        .seeds(5)
        .shown(&[(Table::Main, "PIPELINE")])
        .reported(PaperValues::All([
            [83.94, 85.60, 79.56, 69.59, 66.53],
            [78.38, 78.81, 72.29, 68.12, 56.02],
            [68.32, 71.22, 82.27, 59.53, 55.96],
        ])),
    S::baseline("mnn", network(baseline_settings!("mnn"), &[]))
        .shown(&[(Table::Main, "MNN")])
        .reported(PaperValues::All([
            [83.05, 84.55, 77.17, 68.45, 63.87],
            [76.94, 77.77, 70.40, 65.98, 53.80],
            [70.24, 69.38, 80.79, 57.90, 56.57],
        ])),
    S::baseline("inabsa", network(baseline_settings!("inabsa"), &[]))
        .seeds(5)
        .shown(&[(Table::Main, "INABSA")])
        .reported(PaperValues::All([
            [83.92, 84.97, 79.68, 68.38, 66.60],
            [77.34, 76.62, 72.30, 68.24, 55.88],
            [69.40, 71.43, 82.56, 58.81, 57.38],
        ])),
    S::proposed(
        "vanilla",
        imn_no_docs(&[
            "model.rounds=0",
            "model.messages=none",
            "model.opinions=extracted",
        ]),
    )
    .shown(&[(Table::Ablation, "vanilla model")])
    .reported(PaperValues::F1I([66.66, 55.63, 56.24])),
    S::proposed("imn-no-docs-t0", imn_no_docs(&["model.rounds=0"]))
        .shown(&[
            (Table::Ablation, "+ opinion transmission"),
            (Table::Iterations, "T = 0"),
        ])
        .reported(PaperValues::F1I([66.98, 56.03, 56.65])),
    S::proposed("imn-no-docs-t1", imn_no_docs(&["model.rounds=1"]))
        .shown(&[(Table::Iterations, "T = 1")])
        .reported(PaperValues::F1I([67.97, 57.14, 57.60])),
    S::proposed("imn-no-docs-wo-de", imn_no_docs(&["vectors.domain=[]"]))
        .shown(&[(Table::Main, "IMN⁻ᵈ wo DE")])
        .reported(PaperValues::All([
            [83.95, 85.21, 79.65, 69.32, 66.96],
            [76.96, 76.85, 72.89, 67.26, 56.25],
            [69.23, 68.39, 81.64, 57.51, 56.80],
        ])),
    S::proposed("imn-no-docs", imn_no_docs(&[]))
        .seeds(5)
        .shown(&[
            (Table::Main, "IMN⁻ᵈ"),
            (Table::Ablation, "+ message passing-a (IMN⁻ᵈ)"),
            (Table::Iterations, "T = 2"),
        ])
        .reported(PaperValues::All([
            [84.01, 85.64, 81.56, 71.90, 68.32],
            [78.46, 78.14, 73.21, 69.92, 57.66],
            [69.80, 72.11, 83.38, 60.65, 57.91],
        ])),
    S::proposed("imn-no-docs-t3", imn_no_docs(&["model.rounds=3"]))
        .shown(&[(Table::Iterations, "T = 3")])
        .reported(PaperValues::F1I([68.03, 57.82, 57.66])),
    S::proposed("imn-no-docs-t4", imn_no_docs(&["model.rounds=4"]))
        .shown(&[(Table::Iterations, "T = 4")])
        .reported(PaperValues::F1I([68.11, 57.78, 57.41])),
    S::proposed("imn-no-docs-t5", imn_no_docs(&["model.rounds=5"]))
        .shown(&[(Table::Iterations, "T = 5")])
        .reported(PaperValues::F1I([68.26, 57.33, 57.48])),
    S::proposed(
        "imn-ds",
        imn(&["model.messages=aspect", "model.documents=sentiment"]),
    )
    .shown(&[(Table::Ablation, "+ DS")])
    .reported(PaperValues::F1I([68.48, 57.86, 58.03])),
    S::proposed("imn-ds-dd", imn(&["model.messages=aspect"]))
        .shown(&[(Table::Ablation, "+ DD")])
        .reported(PaperValues::F1I([68.65, 57.50, 58.26])),
    S::proposed("imn-wo-de", imn(&["vectors.domain=[]"]))
        .shown(&[(Table::Main, "IMN wo DE")])
        .reported(PaperValues::All([
            [83.50, 84.62, 83.17, 73.44, 69.11],
            [76.87, 77.04, 74.31, 70.76, 57.04],
            [68.23, 70.09, 85.90, 71.67, 58.82],
        ])),
    S::proposed("imn", imn(&[]))
        .seeds(5)
        .shown(&[
            (Table::Main, "IMN"),
            (Table::Ablation, "+ message passing-d (IMN)"),
        ])
        .reported(PaperValues::All([
            [83.33, 85.61, 83.89, 75.66, 69.54],
            [77.96, 77.51, 75.36, 72.02, 58.37],
            [70.04, 71.94, 85.64, 71.76, 59.18],
        ])),
    S::part(
        "decnn-wo-op",
        network(baseline_settings!("decnn"), WITHOUT_OPINIONS),
    ),
    S::part(
        "alstm-wo-op",
        network(baseline_settings!("alstm"), WITHOUT_OPINIONS),
    ),
    S::part(
        "dtrans-wo-op",
        network(baseline_settings!("dtrans"), WITHOUT_OPINIONS),
    ),
    S::baseline("decnn-alstm-wo-op", pipeline("decnn-wo-op", "alstm-wo-op"))
        .shown(&[(Table::NoOpinion, "DECNN-ALSTM")])
        .reported(PaperValues::WithoutOpinions([
            [83.33, 77.63, 70.09, 64.32],
            [80.28, 69.98, 66.20, 55.92],
            [68.72, 79.22, 54.40, 54.22],
        ])),
    S::baseline(
        "decnn-dtrans-wo-op",
        pipeline("decnn-wo-op", "dtrans-wo-op"),
    )
    .shown(&[(Table::NoOpinion, "DECNN-dTrans")])
    .reported(PaperValues::WithoutOpinions([
        [83.33, 79.45, 73.08, 66.15],
        [80.28, 71.51, 68.03, 57.28],
        [68.72, 82.09, 68.35, 56.08],
    ])),
    // PIPELINE's AS never sees opinions, so it is the same with and without labels.
    S::baseline(
        "pipeline-wo-op",
        pipeline("decnn-wo-op", "aspect-sentiment"),
    )
    .shown(&[(Table::NoOpinion, "PIPELINE")])
    .reported(PaperValues::WithoutOpinions([
        [83.33, 79.39, 69.45, 65.96],
        [80.28, 72.12, 68.56, 57.29],
        [68.72, 81.85, 58.74, 56.04],
    ])),
    S::baseline(
        "mnn-wo-op",
        network(baseline_settings!("mnn"), WITHOUT_OPINIONS),
    )
    .shown(&[(Table::NoOpinion, "MNN")])
    .reported(PaperValues::WithoutOpinions([
        [83.20, 77.57, 68.19, 64.26],
        [76.33, 70.62, 65.44, 53.77],
        [69.29, 80.86, 55.45, 55.93],
    ])),
    S::baseline(
        "inabsa-wo-op",
        network(baseline_settings!("inabsa"), WITHOUT_OPINIONS),
    )
    .shown(&[(Table::NoOpinion, "INABSA")])
    .reported(PaperValues::WithoutOpinions([
        [83.12, 79.06, 68.77, 65.94],
        [77.67, 71.72, 68.36, 55.95],
        [68.79, 80.96, 57.10, 55.45],
    ])),
    S::proposed(
        "imn-no-docs-wo-op",
        imn_no_docs(&["model.opinions=unlabelled"]),
    )
    .shown(&[(Table::NoOpinion, "IMN⁻ᵈ")])
    .reported(PaperValues::WithoutOpinions([
        [83.89, 80.69, 72.09, 67.27],
        [78.43, 72.49, 69.71, 57.13],
        [70.35, 81.86, 56.88, 57.86],
    ])),
    S::proposed("imn-wo-op", imn(&["model.opinions=unlabelled"]))
        .shown(&[(Table::NoOpinion, "IMN")])
        .reported(PaperValues::WithoutOpinions([
            [83.04, 83.05, 73.30, 68.71],
            [77.69, 75.12, 71.35, 58.04],
            [69.25, 84.53, 70.85, 58.18],
        ])),
];
