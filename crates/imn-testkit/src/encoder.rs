//! A tiny transformer encoder in the usual files `config.json`, `tokenizer.json` and
//! `model.safetensors`, with random weights and a vocabulary for the toy data set.

use std::collections::BTreeMap;
use std::path::Path;

use imn_nn::{Init, store};
use serde_json::json;

const HIDDEN: usize = 16;
const INTERMEDIATE: usize = 32;
const LAYERS: usize = 2;
const POSITIONS: usize = 40;

/// Subwords: special tokens, the words of the toy data set, and pieces of other words.
const SUBWORDS: &[&str] = &[
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "was", "but", "looked", "is", "there", "soup",
    "staff", "corner", "table", "lentil", "stew", "window", "seat", "bread", "great", "lovely",
    "superb", "awful", "stale", "dreadful", "drill", "hammer", "zebra", "##finch", "s", "##oup",
    ".", ",", "!",
];

/// Writes the encoder to `folder`.
///
/// # Panics
/// If the folder cannot be written.
pub fn write(folder: &Path) {
    std::fs::create_dir_all(folder).expect("a writable folder");
    let file = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).expect("a writable folder");
    };
    file("config.json", config().as_bytes());
    file("tokenizer.json", tokenizer().as_bytes());
    file("model.safetensors", &weights());
}

fn config() -> String {
    json!({
        "model_type": "bert",
        "vocab_size": SUBWORDS.len(),
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "intermediate_size": INTERMEDIATE,
        "max_position_embeddings": POSITIONS,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
        "position_embedding_type": "absolute",
    })
    .to_string()
}

fn tokenizer() -> String {
    let vocabulary: BTreeMap<&str, usize> = SUBWORDS
        .iter()
        .enumerate()
        .map(|(i, word)| (*word, i))
        .collect();
    let special = |id: usize| {
        json!({
            "id": id, "content": SUBWORDS[id], "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false, "special": true,
        })
    };
    json!({
        "version": "1.0",
        "truncation": {
            "direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0,
        },
        "padding": null,
        "added_tokens": (0..4).map(special).collect::<Vec<_>>(),
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2],
        },
        "decoder": null,
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary,
        },
    })
    .to_string()
}

/// Weights, with the names that the `transformers` package uses.
fn weights() -> Vec<u8> {
    let mut tensors: Vec<(String, Vec<usize>)> = vec![
        (
            "embeddings.word_embeddings.weight".into(),
            vec![SUBWORDS.len(), HIDDEN],
        ),
        (
            "embeddings.position_embeddings.weight".into(),
            vec![POSITIONS, HIDDEN],
        ),
        (
            "embeddings.token_type_embeddings.weight".into(),
            vec![2, HIDDEN],
        ),
    ];
    let norm = |tensors: &mut Vec<(String, Vec<usize>)>, name: &str| {
        tensors.push((format!("{name}.LayerNorm.weight"), vec![HIDDEN]));
        tensors.push((format!("{name}.LayerNorm.bias"), vec![HIDDEN]));
    };
    let linear = |tensors: &mut Vec<(String, Vec<usize>)>, name: &str, outputs, inputs| {
        tensors.push((format!("{name}.weight"), vec![outputs, inputs]));
        tensors.push((format!("{name}.bias"), vec![outputs]));
    };
    norm(&mut tensors, "embeddings");
    for layer in 0..LAYERS {
        let own = |name: &str| format!("encoder.layer.{layer}.{name}");
        for part in ["query", "key", "value"] {
            let name = own(&format!("attention.self.{part}"));
            linear(&mut tensors, &name, HIDDEN, HIDDEN);
        }
        linear(&mut tensors, &own("attention.output.dense"), HIDDEN, HIDDEN);
        norm(&mut tensors, &own("attention.output"));
        linear(
            &mut tensors,
            &own("intermediate.dense"),
            INTERMEDIATE,
            HIDDEN,
        );
        linear(&mut tensors, &own("output.dense"), HIDDEN, INTERMEDIATE);
        norm(&mut tensors, &own("output"));
    }
    let values: Vec<Vec<f32>> = tensors
        .iter()
        .map(|(name, shape)| match name.as_str() {
            gain if gain.ends_with("LayerNorm.weight") => vec![1.0; shape[0]],
            bias if bias.ends_with("bias") => vec![0.0; shape[0]],
            _ => Init::Normal { std: 0.2 }.draw(shape, 1, name),
        })
        .collect();
    let views = tensors
        .iter()
        .zip(&values)
        .map(|((name, shape), data)| (name.as_str(), shape.as_slice(), data.as_slice()));
    store::write(views, None).expect("tensors that fit their shapes")
}
