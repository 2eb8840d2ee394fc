//! Configurations that were stored by earlier versions of the program.
//!
//! Model files and results keep the whole configuration of their run. Where a setting has moved since,
//! it is moved in the stored JSON before that is read, so that what is stored stays readable.

use serde_json::{Map, Value, json};

/// Brings the stored configuration of an IMN network up to date. One that is up to date stays as it is.
///
/// The sizes of the CNN encoder were `model.filters` and `model.shared_layers`; they are
/// `model.encoder.cnn.filters` and `model.encoder.cnn.layers` now. `data.repeat` had one number per
/// annotation scheme; it has one per file now.
pub fn upgrade(config: &mut Value) {
    repeat_per_file(config);
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

fn repeat_per_file(config: &mut Value) {
    let names = |value: &Value| -> Vec<String> {
        let names = value.as_array().into_iter().flatten();
        names
            .filter_map(|name| Some(name.as_str()?.to_owned()))
            .collect()
    };
    let (known, files) = (
        names(&config["model"]["schemes"]),
        names(&config["data"]["schemes"]),
    );
    let repeat = config["data"]["repeat"].as_array().cloned();
    let repeat = repeat.unwrap_or_default();
    if repeat.is_empty() || repeat.len() != known.len() || repeat.len() == files.len() {
        return;
    }
    let of_file = |file: &String| known.iter().position(|name| name == file);
    let per_file: Option<Vec<Value>> = files
        .iter()
        .map(|file| Some(repeat[of_file(file)?].clone()))
        .collect();
    if let Some(per_file) = per_file {
        config["data"]["repeat"] = per_file.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_of_schemes_become_repeats_of_files() {
        let mut old = json!({
            "data": {"schemes": ["terms", "terms", "targets"], "repeat": [1, 2]},
            "model": {"schemes": ["terms", "targets"]},
        });
        upgrade(&mut old);
        assert_eq!(old["data"]["repeat"], json!([1, 1, 2]));
        let new = old.clone();
        upgrade(&mut old);
        assert_eq!(old, new);
    }

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
