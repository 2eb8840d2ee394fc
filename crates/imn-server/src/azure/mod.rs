//! Opinion mining in the format of Azure Language, for clients that were written for it.
//!
//! Aspects become targets, opinions become assessments, and links become relations. Fields that the
//! network does not predict are derived by fixed rules, which `docs/serve.md` states.

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
