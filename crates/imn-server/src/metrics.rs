//! Metrics of the server, in the Prometheus text format.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// The content type of the exposition.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// One label with its value.
type Labels<const N: usize> = [(&'static str, String); N];

/// A histogram of seconds: 0.5 ms to 33 s.
#[derive(Debug, Clone, Copy)]
pub struct Seconds;

impl MetricConstructor<Histogram> for Seconds {
    fn new_metric(&self) -> Histogram {
        Histogram::new(exponential_buckets(0.0005, 2.0, 17))
    }
}

/// A histogram of counts: 1 to 16384.
fn counts() -> Histogram {
    Histogram::new(exponential_buckets(1.0, 2.0, 15))
}

/// All metrics.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Requests by route and status.
    pub requests: Family<Labels<2>, Counter>,
    /// Requests that failed, by kind of error.
    pub failures: Family<Labels<1>, Counter>,
    /// Texts that were refused in requests that succeeded, by kind of error.
    pub text_failures: Family<Labels<1>, Counter>,
    /// Texts that were analysed.
    pub texts: Counter<u64, AtomicU64>,
    /// Time from the headers of a request to its answer.
    pub request_duration: Family<Labels<1>, Histogram, Seconds>,
    /// Texts that are queued or being read.
    pub queue_size: Gauge,
    /// Unread words of these texts.
    pub queue_tokens: Gauge,
    /// Time from the arrival of a text in the queue to its first batch.
    pub queue_duration: Histogram,
    /// Number of texts in a batch.
    pub batch_size: Histogram,
    /// Number of words in a batch.
    pub batch_tokens: Histogram,
    /// Duration of a batch.
    pub inference_duration: Histogram,
    /// Open connections.
    pub connections: Gauge,
    /// Jobs by state.
    pub jobs: Family<Labels<1>, Gauge>,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("imn"),
            requests: Family::default(),
            failures: Family::default(),
            text_failures: Family::default(),
            texts: Counter::default(),
            request_duration: Family::new_with_constructor(Seconds),
            queue_size: Gauge::default(),
            queue_tokens: Gauge::default(),
            queue_duration: Seconds.new_metric(),
            batch_size: counts(),
            batch_tokens: counts(),
            inference_duration: Seconds.new_metric(),
            connections: Gauge::default(),
            jobs: Family::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let r = &mut self.registry;
        r.register(
            "requests",
            "Requests by route and status",
            self.requests.clone(),
        );
        let help = "Requests that failed, by kind of error";
        r.register("request_failures", help, self.failures.clone());
        let help = "Texts that were refused in requests that succeeded, by kind of error";
        r.register("text_failures", help, self.text_failures.clone());
        r.register("texts", "Texts that were analysed", self.texts.clone());
        let help = "Time from the headers of a request to its answer";
        let metric = self.request_duration.clone();
        r.register_with_unit("request_duration", help, Unit::Seconds, metric);
        r.register(
            "queue_size",
            "Texts that wait or are being read",
            self.queue_size.clone(),
        );
        r.register(
            "queue_tokens",
            "Words that were not read",
            self.queue_tokens.clone(),
        );
        let help = "Time from the arrival of a text in the queue to its first batch";
        let metric = self.queue_duration.clone();
        r.register_with_unit("queue_duration", help, Unit::Seconds, metric);
        r.register("batch_size", "Texts of a batch", self.batch_size.clone());
        r.register(
            "batch_tokens",
            "Words of a batch",
            self.batch_tokens.clone(),
        );
        let metric = self.inference_duration.clone();
        r.register_with_unit(
            "inference_duration",
            "Time of a batch",
            Unit::Seconds,
            metric,
        );
        r.register("connections", "Open connections", self.connections.clone());
        r.register("jobs", "Jobs by state", self.jobs.clone());
    }

    /// All metrics in the Prometheus text format.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
