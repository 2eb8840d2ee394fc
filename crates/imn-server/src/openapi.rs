//! The OpenAPI document: `openapi.json`, with the names of the models of this server.
//!
//! The file is written by hand. The contract tests compare the program with it: every
//! route is in it, and every request and answer of the tests matches its schemas.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::models::Models;

/// The document without the names of models.
pub const DOCUMENT: &str = include_str!("../openapi.json");

/// The parts of the document. Parts that are not changed keep the order of the file.
#[derive(Serialize, Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    openapi: &'a RawValue,
    info: &'a RawValue,
    security: &'a RawValue,
    paths: &'a RawValue,
    components: Components<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Components<'a> {
    #[serde(borrow)]
    security_schemes: &'a RawValue,
    parameters: &'a RawValue,
    responses: &'a RawValue,
    schemas: BTreeMap<String, Box<RawValue>>,
}

/// The document of a server with these models.
///
/// # Errors
/// If `openapi.json` does not have the form of an OpenAPI document, which tests exclude.
pub fn document(models: &Models) -> Result<String, serde_json::Error> {
    let mut document: Document<'_> = serde_json::from_str(DOCUMENT)?;
    let names: Vec<&str> = models.all().iter().map(|model| &*model.name).collect();
    let mut schemes: Vec<&str> = Vec::new();
    for scheme in models.all().iter().flat_map(|model| &model.schemes) {
        if !schemes.contains(&scheme.as_str()) {
            schemes.push(scheme);
        }
    }
    let versions = [&names[..], &["latest", ""]].concat();
    for (schema, values) in [
        ("ModelName", names),
        ("SchemeName", schemes),
        ("AzureModelVersion", versions),
    ] {
        if let Some(raw) = document.components.schemas.get_mut(schema) {
            let mut fields: Value = serde_json::from_str(raw.get())?;
            let values = values.into_iter().map(Value::from);
            fields["enum"] = values.chain([Value::Null]).collect();
            *raw = to_raw_value(&fields)?;
        }
    }
    serde_json::to_string(&document)
}
