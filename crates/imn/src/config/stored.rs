//! Configurations that were stored by earlier versions of the program.
//!
//! Model files and results keep the whole configuration of their run. Where a setting has moved since,
//! it is moved in the stored JSON before that is read, so that what is stored stays readable.

use serde_json::{Map, Value, json};

/// Brings the stored configuration of an IMN network up to date. One that is up to date stays as it is.
///
/// The sizes of the CNN encoder were `model.filters` and `model.shared_layers`; they are
/// `model.encoder.cnn.filters` and `model.encoder.cnn.layers` now.
pub fn upgrade(config: &mut Value) {
    let Some(model) = config.get_mut("model").and_then(Value::as_object_mut) else {
        return;
    };
    let mut cnn = Map::new();
    for (old, new) in [("filters", "filters"), ("shared_layers", "layers")] {
        if let Some(value) = model.remove(old) {
            cnn.insert(new.to_owned(), value);
        }
    }
    if !cnn.is_empty() {
        model.insert("encoder".to_owned(), json!({ "cnn": cnn }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_encoder_move_and_nothing_else_does() {
        let mut old = json!({
            "name": "x",
            "model": {"filters": 128, "shared_layers": 3, "rounds": 1},
        });
        upgrade(&mut old);
        let new = json!({
            "name": "x",
            "model": {"encoder": {"cnn": {"filters": 128, "layers": 3}}, "rounds": 1},
        });
        assert_eq!(old, new);
        upgrade(&mut old);
        assert_eq!(old, new);
    }
}
