//! One entry per route. The functions are never called: each carries the description of a route.

#![allow(dead_code, reason = "descriptions of routes")]

use utoipa::OpenApi;

use super::formats;
use super::records::{self, AnalyzeRequest, AnalyzeResponse, ExplainRequest, Explanation};
use crate::azure::{AzureAnswer, AzureErrorBody, AzureRequest};
use crate::error::ErrorBody;
use crate::jobs::JobRecord;
use crate::routes::{Info, JobList};

/// Everything.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "imn",
        description = "Aspects, opinions and sentiments of reviews",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    paths(
        analyze, explain, info, health, metrics, document, azure, create_job, list_jobs, job,
        delete_job, events, result, errors, report
    ),
    components(schemas(
        ErrorBody,
        AzureErrorBody,
        formats::OffsetUnit,
        formats::ResultFormat,
        formats::RowPer,
        formats::UploadFormat
    )),
    security((), ("bearer" = []), ("azure" = []))
)]
pub(super) struct Api;

/// Analyse texts
///
/// Aspects, opinions, sentiments and links of one text or of many. A text of a list that is refused
/// is an error among the results; the others are answered.
#[utoipa::path(post, path = "/analyze", tag = "texts", request_body = AnalyzeRequest,
    responses((status = 200, description = "One result per text", body = AnalyzeResponse)))]
fn analyze() {}

/// Explain a text
///
/// The predictions for every word before message passing and after each round of it.
#[utoipa::path(post, path = "/explain", tag = "texts", request_body = ExplainRequest,
    responses((status = 200, description = "The explanation", body = Explanation)))]
fn explain() {}

/// Models, limits and version
#[utoipa::path(get, path = "/info", tag = "server",
    responses((status = 200, description = "About the server", body = Info)))]
fn info() {}

/// Whether the server accepts requests
#[utoipa::path(get, path = "/health", tag = "server", security(()),
    responses((status = 200, description = "It does", body = records::Health)))]
fn health() {}

/// Metrics for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "server", security(()),
    responses((status = 200, description = "OpenMetrics text", body = String,
        content_type = "application/openmetrics-text")))]
fn metrics() {}

/// This document
#[utoipa::path(get, path = "/openapi.json", tag = "server", security(()),
    responses((status = 200, description = "OpenAPI", body = serde_json::Value)))]
fn document() {}

/// Opinion mining in the shape of Azure Language
#[utoipa::path(post, path = "/language/:analyze-text", tag = "azure", request_body = AzureRequest,
    params(
        ("api-version" = String, Query, min_length = 1,
            description = "Any version, such as 2023-04-01"),
        ("showStats" = Option<bool>, Query, description = "Whether numbers are added")
    ),
    responses((status = 200, description = "Documents and errors", body = AzureAnswer)))]
fn azure() {}

/// Upload a file
///
/// CSV, TSV, JSONL, Parquet or text, plain or compressed with gzip or zstd: as the body, or as the
/// field `file` of a form. Options are query parameters or fields of the form.
#[utoipa::path(post, path = "/jobs", tag = "jobs",
    request_body(content = String, content_type = "application/octet-stream"),
    params(
        ("name" = Option<String>, Query, description = "The name of the file"),
        ("format" = Option<formats::UploadFormat>, Query,
            description = "csv, tsv, jsonl, parquet, txt or whole [default: from the name]"),
        ("column" = Option<String>, Query, description = "The column with the text"),
        ("id" = Option<String>, Query, description = "The column with the ids"),
        ("model" = Option<String>, Query, description = "The model"),
        ("scheme" = Option<String>, Query, description = "The annotation scheme"),
        ("min_confidence" = Option<f32>, Query, description = "Leave out less sure terms"),
        ("offset_unit" = Option<formats::OffsetUnit>, Query, description = "What offsets count"),
        ("per" = Option<formats::RowPer>, Query, description = "A row of CSV: aspect or review"),
        ("explain" = Option<bool>, Query, description = "Whether explanations are added")
    ),
    responses((status = 202, description = "Accepted", body = JobRecord)))]
fn create_job() {}

/// All jobs, the newest first
#[utoipa::path(get, path = "/jobs", tag = "jobs",
    responses((status = 200, description = "The jobs", body = JobList)))]
fn list_jobs() {}

/// One job
#[utoipa::path(get, path = "/jobs/{id}", tag = "jobs",
    params(("id" = String, Path, description = "The job")),
    responses((status = 200, description = "The job", body = JobRecord)))]
fn job() {}

/// Cancel or delete a job
///
/// A job that has not ended is cancelled; one that has is removed with its files.
#[utoipa::path(delete, path = "/jobs/{id}", tag = "jobs",
    params(("id" = String, Path, description = "The job")),
    responses(
        (status = 200, description = "Cancelled, or about to be", body = JobRecord),
        (status = 204, description = "Removed")
    ))]
fn delete_job() {}

/// Progress as server-sent events
///
/// An event per change, named after the state, with the job as data. The stream ends with the job.
#[utoipa::path(get, path = "/jobs/{id}/events", tag = "jobs",
    params(("id" = String, Path, description = "The job")),
    responses((status = 200, description = "Events", body = String,
        content_type = "text/event-stream")))]
fn events() {}

/// The result of a finished job
#[utoipa::path(get, path = "/jobs/{id}/result", tag = "jobs",
    params(
        ("id" = String, Path, description = "The job"),
        ("format" = Option<formats::ResultFormat>, Query,
            description = "jsonl, json, csv, parquet, html or pretty [default: jsonl]"),
        ("per" = Option<formats::RowPer>, Query, description = "A row of CSV: aspect or review"),
        ("offset_unit" = Option<formats::OffsetUnit>, Query, description = "What offsets count")
    ),
    responses((status = 200, description = "The file", body = String,
        content_type = "application/octet-stream")))]
fn result() {}

/// Rows of a finished job that could not be read
#[utoipa::path(get, path = "/jobs/{id}/errors", tag = "jobs",
    params(("id" = String, Path, description = "The job")),
    responses(
        (status = 200, description = "One object per row", body = String,
            content_type = "application/x-ndjson"),
        (status = 204, description = "There are none")
    ))]
fn errors() {}

/// The report of a finished job as a page
#[utoipa::path(get, path = "/jobs/{id}/report", tag = "jobs",
    params(
        ("id" = String, Path, description = "The job"),
        ("title" = Option<String>, Query, description = "The title of the page"),
        ("date" = Option<String>, Query, description = "The column with dates, for trends"),
        ("date_format" = Option<String>, Query, description = "How dates are written"),
        ("min_count" = Option<u64>, Query, description = "How often a group must occur"),
        ("top" = Option<u64>, Query, description = "How many groups are shown"),
        ("download" = Option<bool>, Query, description = "As a download")
    ),
    responses((status = 200, description = "The page", body = String,
        content_type = "text/html")))]
fn report() {}
