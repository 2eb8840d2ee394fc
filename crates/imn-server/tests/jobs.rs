//! Files in, results out; hostile names stay names.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;

use common::Running;
use common::jobs::{CSV, finish, upload};
use imn::analyze::Analyzer;
use imn::text::OffsetUnit;
use imn_batch::read::{Input, InputFormat, InputSource, ReadSettings};
use imn_batch::write::{OutputFormat, RowPer, WriteSettings};
use imn_batch::{IfExists, Job, ModelIdentity, OutputTarget};
use serde_json::{Value, json};

/// What `imn analyze` writes.
fn direct(analyzer: &Analyzer, input: &Path, format: InputFormat, write: WriteSettings) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let job = Job {
        analyzer,
        model: ModelIdentity::new(analyzer, "direct", "", None),
        sources: vec![InputSource {
            input: Input::File(input.to_owned()),
            format,
        }],
        read: ReadSettings::default(),
        write,
        min_confidence: 0.0,
        explain: false,
        output: OutputTarget::File(out.clone()),
        errors: Some(folder.path().join("errors")),
        if_exists: IfExists::Overwrite,
    };
    job.run(&Default::default(), &mut |_| {}).unwrap();
    std::fs::read(out).unwrap()
}

fn settings(format: OutputFormat, per: RowPer, unit: OffsetUnit) -> WriteSettings {
    WriteSettings {
        format,
        per,
        unit,
        color: false,
    }
}

#[test]
fn results_are_those_of_imn_analyze_in_every_format() {
    let server = Running::start(|_| {});
    let analyzer = common::analyzer();
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("a.csv");
    std::fs::write(&csv, CSV).unwrap();
    let parquet = folder.path().join("a.parquet");
    let unit = OffsetUnit::Bytes;
    let table = settings(OutputFormat::Parquet, RowPer::Aspect, unit);
    std::fs::write(&parquet, direct(&analyzer, &csv, InputFormat::Csv, table)).unwrap();
    let inputs = [
        (&csv, InputFormat::Csv, "csv"),
        (&parquet, InputFormat::Parquet, "parquet"),
    ];
    for (path, format, name) in inputs {
        let bytes = std::fs::read(path).unwrap();
        let accepted = upload(&server, &format!("/jobs?name=a.{name}"), "", &bytes);
        let id = finish(&server, &accepted);
        for (query, write) in [
            ("jsonl", settings(OutputFormat::Jsonl, RowPer::Aspect, unit)),
            ("json", settings(OutputFormat::Json, RowPer::Aspect, unit)),
            ("csv", settings(OutputFormat::Csv, RowPer::Aspect, unit)),
            (
                "csv&per=review",
                settings(OutputFormat::Csv, RowPer::Review, unit),
            ),
            (
                "parquet",
                settings(OutputFormat::Parquet, RowPer::Aspect, unit),
            ),
            ("html", settings(OutputFormat::Html, RowPer::Aspect, unit)),
            (
                "pretty",
                settings(OutputFormat::Pretty, RowPer::Aspect, unit),
            ),
            (
                "jsonl&offset_unit=utf16",
                settings(OutputFormat::Jsonl, RowPer::Aspect, OffsetUnit::Utf16),
            ),
            (
                "csv&offset_unit=chars",
                settings(OutputFormat::Csv, RowPer::Aspect, OffsetUnit::Chars),
            ),
        ] {
            let expected = direct(&analyzer, path, format, write);
            // The first time it is made, the second time it is there.
            for _ in 0..2 {
                let answer = server.get(&format!("/jobs/{id}/result?format={query}"));
                assert_eq!(answer.status, 200, "{answer:?}");
                assert!(answer.body == expected, "{name} to {query}");
                let disposition = answer.header("content-disposition").unwrap();
                assert!(
                    disposition.starts_with("attachment; filename=\"imn-"),
                    "{disposition}"
                );
            }
        }
    }
}

#[test]
fn every_way_to_upload_is_understood() {
    let server = Running::start(|_| {});
    let jsonl = "{\"text\": \"The soup was cold.\", \"id\": 1}\n{\"text\": \"Nice.\"}\n";
    let tsv = "text\tn\nThe soup was cold.\t1\nNice.\t2\n";
    let txt = "The soup was cold.\n\nNice.\n";
    let gz = {
        use std::io::Write as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl.gz");
        let mut file = imn_io::OutputFile::create(&path).unwrap();
        file.write_all(jsonl.as_bytes()).unwrap();
        file.finish().unwrap();
        std::fs::read(path).unwrap()
    };
    for (path, media, body, reviews) in [
        ("/jobs", "text/csv", "text\nNice.\nBad.\n".as_bytes(), 2),
        ("/jobs", "text/tab-separated-values", tsv.as_bytes(), 2),
        ("/jobs", "application/x-ndjson", jsonl.as_bytes(), 2),
        ("/jobs", "text/plain; charset=utf-8", txt.as_bytes(), 2),
        ("/jobs?format=whole", "text/plain", txt.as_bytes(), 1),
        (
            "/jobs?format=jsonl",
            "application/octet-stream",
            jsonl.as_bytes(),
            2,
        ),
        ("/jobs?name=a.jsonl.gz", "application/gzip", &gz, 2),
        (
            "/jobs?name=a.csv&column=b",
            "text/plain",
            b"a,b\n1,Nice.\n",
            1,
        ),
    ] {
        let accepted = upload(&server, path, media, body);
        let id = finish(&server, &accepted);
        let job = server.get(&format!("/jobs/{id}")).json();
        assert_eq!(job["progress"]["reviews"], reviews, "{path} {media}");
    }
    let form = "--B\r\nContent-Disposition: form-data; name=\"min_confidence\"\r\n\r\n0.5\r\n\
        --B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"reviews.csv\"\r\n\
        Content-Type: application/octet-stream\r\n\r\ntext\nThe soup was cold.\n\r\n\
        --B\r\nContent-Disposition: form-data; name=\"offset_unit\"\r\n\r\nchars\r\n--B--\r\n";
    let media = "multipart/form-data; boundary=B";
    let id = finish(&server, &upload(&server, "/jobs", media, form.as_bytes()));
    let job = server.get(&format!("/jobs/{id}")).json();
    assert_eq!(job["options"]["name"], "reviews.csv");
    assert_eq!(job["options"]["min_confidence"], 0.5);
    let result = server.get(&format!("/jobs/{id}/result")).text().to_owned();
    assert!(result.contains(r#""offset_unit":"chars""#), "{result}");
    assert_eq!(
        server.get("/jobs").json()["jobs"].as_array().unwrap().len(),
        9
    );
}

#[test]
fn bad_uploads_are_refused_and_leave_nothing() {
    let server = Running::start(|settings| settings.limits.max_upload_bytes = 2000);
    let folder = server.jobs.as_ref().unwrap().path().to_owned();
    let big = format!("text\n{}\n", "x".repeat(3000));
    let form = |body: &str| format!("--B\r\n{body}\r\n--B--\r\n");
    let no_file = form("Content-Disposition: form-data; name=\"column\"\r\n\r\na");
    let unknown = form("Content-Disposition: form-data; name=\"colour\"\r\n\r\na");
    let long = "x".repeat(5000);
    let long = form(&format!(
        "Content-Disposition: form-data; name=\"column\"\r\n\r\n{long}"
    ));
    let multipart = "multipart/form-data; boundary=B";
    for (path, media, body, status, kind) in [
        (
            "/jobs",
            "application/octet-stream",
            "a",
            415,
            "unsupported_media_type",
        ),
        (
            "/jobs",
            "application/json",
            "{}",
            415,
            "unsupported_media_type",
        ),
        ("/jobs", "text/csv", "", 400, "empty"),
        ("/jobs", "text/csv", "a,b\n1,2\n", 422, "validation"),
        (
            "/jobs?column=c",
            "text/csv",
            "a,text\n1,2\n",
            422,
            "validation",
        ),
        ("/jobs?id=c", "text/csv", "a,text\n1,2\n", 422, "validation"),
        (
            "/jobs?format=parquet",
            "text/csv",
            "a,text\n1,2\n",
            422,
            "validation",
        ),
        (
            "/jobs?format=xls",
            "text/csv",
            "a,text\n1,2\n",
            422,
            "validation",
        ),
        (
            "/jobs?model=none",
            "text/csv",
            "text\na\n",
            422,
            "validation",
        ),
        (
            "/jobs?scheme=none",
            "text/csv",
            "text\na\n",
            422,
            "validation",
        ),
        ("/jobs?more=1", "text/csv", "text\na\n", 422, "validation"),
        (
            "/jobs?min_confidence=7",
            "text/csv",
            "text\na\n",
            422,
            "validation",
        ),
        ("/jobs", "text/csv", &big, 413, "too_large"),
        ("/jobs", multipart, &no_file, 400, "empty"),
        ("/jobs", multipart, &unknown, 422, "validation"),
        ("/jobs", multipart, &long, 413, "too_large"),
        ("/jobs", multipart, "--B\r\nbroken", 422, "validation"),
        ("/jobs", "multipart/form-data", &no_file, 422, "validation"),
    ] {
        let answer = upload(&server, path, media, body.as_bytes());
        assert_eq!(answer.error(), (status, kind.to_owned()), "{path} {media}");
        // Folders of the server are nobody's business.
        assert!(
            !answer.text().contains(folder.to_str().unwrap()),
            "{answer:?}"
        );
    }
    assert_eq!(server.get("/jobs").json(), json!({"jobs": []}));
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert_eq!(left.len(), 1, "the lock only: {left:?}");
}

#[test]
fn hostile_names_are_only_names() {
    let server = Running::start(|_| {});
    let folder = server.jobs.as_ref().unwrap().path().to_owned();
    for name in [
        "..%2F..%2F..%2Ftmp%2Fevil.csv",
        "%2Fetc%2Fpasswd.csv",
        "a%00b.csv",
        "%0d%0aSet-Cookie:%20a=b.csv",
        "%3Cscript%3Ealert(1)%3C%2Fscript%3E.csv",
        "job.json",
        ".lock",
        &"x".repeat(3000),
    ] {
        let path = format!("/jobs?format=csv&name={name}");
        let accepted = upload(&server, &path, "text/csv", b"text\nThe soup was cold.\n");
        let id = finish(&server, &accepted);
        assert!(id.chars().all(|c| c.is_ascii_alphanumeric()), "{id}");
        let result = server.get(&format!("/jobs/{id}/result"));
        let disposition = format!("attachment; filename=\"imn-{id}.jsonl\"");
        assert_eq!(
            result.header("content-disposition"),
            Some(disposition.as_str())
        );
        assert_eq!(result.header("set-cookie"), None);
        let shown = accepted.json()["options"]["name"]
            .as_str()
            .unwrap_or("")
            .to_owned();
        assert!(
            !shown.contains(['/', '\\', '\0', '\r', '\n']) && shown.len() <= 800,
            "{shown:?}"
        );
    }
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == ".lock" || name.chars().all(|c| c.is_ascii_alphanumeric()),
            "{name}"
        );
    }
}

#[test]
fn a_refused_upload_says_where_the_text_probably_is() {
    let server = Running::start(|_| {});
    for (path, media, body, expected) in [
        (
            "/jobs",
            "application/x-ndjson",
            "{\"review\":{\"body\":\"Nice.\"}}\n",
            "name it with `column`: `review.body`",
        ),
        (
            "/jobs",
            "text/csv",
            "The room was dirty, but the pool was nice.\nNice, cheap.\n",
            "format=txt if the file has one review per line and no header",
        ),
    ] {
        let refused = upload(&server, path, media, body.as_bytes());
        assert_eq!(refused.error(), (422, "validation".to_owned()));
        assert!(refused.text().contains(expected), "{}", refused.text());
    }
}

#[test]
fn hostile_columns_stay_data() {
    let server = Running::start(|_| {});
    let csv = "text,<script>alert(1)</script>,../../x,=cmd|' /C calc'!A0,aspects,\"a\"\"b\nc\"\n\
        The <b>soup</b> was cold.,<img src=x onerror=alert(1)>,1,=1+1,mine,\"x\ny\"\n";
    let id = finish(
        &server,
        &upload(&server, "/jobs?name=a.csv", "text/csv", csv.as_bytes()),
    );
    for format in [
        "jsonl",
        "json",
        "csv",
        "csv&per=review",
        "parquet",
        "html",
        "pretty",
    ] {
        let answer = server.get(&format!("/jobs/{id}/result?format={format}"));
        assert_eq!(answer.status, 200, "{format}");
        if format == "html" {
            let page = answer.text();
            assert!(
                !page.contains("<script>alert") && !page.contains("<img src=x"),
                "{page}"
            );
        }
    }
    let report = server.get(&format!(
        "/jobs/{id}/report?title=%3Cscript%3Ealert(2)%3C/script%3E"
    ));
    assert_eq!(report.status, 200);
    assert!(
        !report.text().contains("<script>alert"),
        "{}",
        report.text()
    );
    let policy = report.header("content-security-policy").unwrap();
    assert!(
        policy.contains("script-src 'sha256-") && policy.contains("sandbox"),
        "{policy}"
    );
    assert_eq!(report.header("content-disposition"), Some("inline"));
    let download = server.get(&format!("/jobs/{id}/report?download=true"));
    assert!(
        download
            .header("content-disposition")
            .unwrap()
            .starts_with("attachment")
    );
    for (query, status) in [
        ("date=none", 422),
        ("top=0", 422),
        ("other=1", 422),
        ("min_count=9", 200),
    ] {
        let answer = server.get(&format!("/jobs/{id}/report?{query}"));
        assert_eq!(answer.status, status, "{query}");
    }
    let wrong = server.get(&format!("/jobs/{id}/result?format=xls"));
    assert_eq!(wrong.error(), (422, "validation".to_owned()));
}

#[test]
fn bad_rows_are_listed_and_the_report_has_trends() {
    let server = Running::start(|_| {});
    let accepted = upload(
        &server,
        "/jobs?name=reviews.csv",
        "text/csv",
        CSV.as_bytes(),
    );
    let id = finish(&server, &accepted);
    let job = server.get(&format!("/jobs/{id}")).json();
    // An empty text is a review without aspects.
    assert_eq!(job["progress"]["reviews"], 4);
    assert_eq!(job["progress"]["errors"], 1);
    assert_eq!(job["progress"]["bytes_read"], CSV.len());
    let errors = server.get(&format!("/jobs/{id}/errors"));
    let errors: Vec<Value> = errors
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["file"], "reviews.csv");
    assert_eq!(errors[0]["row"], 4);
    let report = server.get(&format!("/jobs/{id}/report?date=when&title=Spring"));
    assert!(report.text().contains("Spring") && report.text().contains("soup"));
    // The stars are no dates. The fix is a parameter, not an option of the command line.
    let undated = server.get(&format!("/jobs/{id}/report?date=star%22s"));
    assert_eq!(undated.error(), (422, "validation".to_owned()));
    let said = undated.text();
    assert!(said.contains("`date_format`"), "{said}");
    assert!(!said.contains("--"), "{said}");
    let clean = upload(&server, "/jobs", "text/csv", b"text\nFine.\n");
    let clean = finish(&server, &clean);
    assert_eq!(server.get(&format!("/jobs/{clean}/errors")).status, 204);
}
