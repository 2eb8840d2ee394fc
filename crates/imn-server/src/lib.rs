//! The HTTP server of `imn serve`.
//!
//! ```text
//! connections ─ limits, API key ─→ routes ─→ queue of texts ─ packed batches ─→ Analyzer
//!   (runtime threads)                │        (readers: one per core)              │
//!                                    ├─────→ jobs on disk ─ imn_batch::Job ────────┘
//!                                    └─────→ slow work: reports, large answers
//! ```
//!
//! Threads of the runtime only receive, check and send. Slower work has dedicated threads that live
//! as long as the server.
//!
//! The texts of all clients go through one queue (`batcher`); files go through jobs that survive
//! a restart. Limits, errors and metrics are the same for every route. Nothing here parses
//! arguments.

mod app;
mod assets;
mod azure;
mod batcher;
mod body;
pub mod error;
pub mod jobs;
mod layers;
mod listen;
pub mod logging;
mod metrics;
mod models;
pub mod openapi;
mod pool;
mod routes;
mod server;
mod settings;
mod stall;
mod tickets;
mod types;
mod unread;

pub use models::{Models, ModelsError, ServedModel};
pub use routes::{Guard, ROUTES, Route, router};
pub use server::{ServeError, Server};
pub use settings::{Limits, Settings};
pub use tracing::Level;
