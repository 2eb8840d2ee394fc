//! Opinion mining in the shape of Azure Language, for clients that were written for it.
//!
//! What the two have in common is mapped: targets are aspects, assessments are opinions, relations
//! are links. What this network does not say is derived by fixed rules, which `docs/serve.md`
//! states.

mod answer;
mod convert;
mod request;
mod units;

pub use answer::{
    AzureAnswer, AzureDocumentError, AzureError, AzureErrorBody, AzureInnerError, AzureResults,
    AzureTotals,
};
pub use convert::document;
pub use request::{AzureRequest, StringIndexType, language_error};
