//! Configurations stored by earlier versions of the program.
//!
//! Model files and result files keep the whole configuration of their run. Settings that were
//! moved or renamed since then get their current keys in the stored JSON before it is parsed, so
//! that old files stay readable.

use serde_json::{Map, Value, json};

/// Gives settings in a stored configuration their current keys. A configuration that has the
/// current keys does not change.
///
/// | earlier key | current key |
/// |---|---|
/// | `model.filters` | `model.encoder.cnn.filters` |
/// | `model.shared_layers` | `model.encoder.cnn.layers` |
/// | `data.without` | `data.exclude` |
/// | `vectors.on_top` | `vectors.max_extra_words` |
/// | `data.repeat`, one number per scheme | `data.repeat`, one number per file |
///
/// The configuration of a pipeline holds those of its two networks, `extractor` and `classifier`.
///
/// ```
/// let mut stored = serde_json::json!({"vectors": {"on_top": 500}});
/// imn::config::stored::upgrade(&mut stored);
/// assert_eq!(stored, serde_json::json!({"vectors": {"max_extra_words": 500}}));
/// ```
pub fn upgrade(config: &mut Value) {
    for part in ["extractor", "classifier"] {
        if let Some(part) = config.get_mut(part) {
            upgrade(part);
        }
    }
    rename(config, "data", "without", "exclude");
    rename(config, "vectors", "on_top", "max_extra_words");
    repeat_per_file(config);
    nest_cnn_sizes(config);
}

fn section<'a>(config: &'a mut Value, name: &str) -> Option<&'a mut Map<String, Value>> {
    config.get_mut(name).and_then(Value::as_object_mut)
}

fn rename(config: &mut Value, name: &str, old: &str, new: &str) {
    if let Some(section) = section(config, name)
        && let Some(value) = section.remove(old)
    {
        section.insert(new.to_owned(), value);
    }
}

fn nest_cnn_sizes(config: &mut Value) {
    let Some(model) = section(config, "model") else {
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
    fn earlier_keys_become_current_ones_and_nothing_else_changes() {
        let mut stored = json!({
            "name": "x",
            "data": {"train": "a", "without": ["b"]},
            "vectors": {"on_top": null, "rate": 1.0},
            "model": {"filters": 128, "shared_layers": 3, "rounds": 1},
        });
        upgrade(&mut stored);
        let current = json!({
            "name": "x",
            "data": {"train": "a", "exclude": ["b"]},
            "vectors": {"max_extra_words": null, "rate": 1.0},
            "model": {"encoder": {"cnn": {"filters": 128, "layers": 3}}, "rounds": 1},
        });
        assert_eq!(stored, current);
        upgrade(&mut stored);
        assert_eq!(stored, current);
    }

    #[test]
    fn both_networks_of_a_pipeline_are_upgraded() {
        let network = |key: &str| json!({"vectors": {key: 7}});
        let pipeline = |key| json!({"extractor": network(key), "classifier": network(key)});
        let mut stored = pipeline("on_top");
        upgrade(&mut stored);
        assert_eq!(stored, pipeline("max_extra_words"));
    }
}
