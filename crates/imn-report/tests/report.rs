//! A report on generated reviews: its numbers, its page, and hostile input.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;
use std::io::{BufRead, Cursor};

use imn::data::Sentiment;
use imn_report::{DateColumn, DateFormat, Report, ReportError, ReportSettings, Tally, html};
use serde_json::{Value, json};

const TERMS: [(&str, &str); 8] = [
    ("Battery", "battery"),
    ("batteries", "battery"),
    ("battery life", "battery"),
    ("screen", "screen"),
    ("Screens", "screen"),
    ("quality of the food", "food"),
    ("food", "food"),
    ("hinge", "hinge"),
];
const SENTIMENTS: [&str; 3] = ["positive", "negative", "neutral"];

/// A review with the sentence "The TERM is WORD." for each entry of `found`.
fn review(row: usize, found: &[(&str, &str, &str)]) -> Value {
    let (mut text, mut aspects, mut opinions) = (String::new(), Vec::new(), Vec::new());
    for (i, (term, sentiment, word)) in found.iter().enumerate() {
        text.push_str("The ");
        let start = text.len();
        text.push_str(term);
        let end = text.len();
        text.push_str(" is ");
        let (from, to) = (text.len(), text.len() + word.len());
        opinions.push(json!({"term": word, "start": from, "end": to, "confidence": 0.7}));
        text.push_str(word);
        text.push_str(". ");
        aspects.push(json!({
            "term": term, "start": start, "end": end, "sentiment": sentiment,
            "span_confidence": 0.9, "sentiment_confidence": (row % 97) as f32 / 100.0,
            "opinions": [{"opinion": i, "weight": 1.0}],
        }));
    }
    let sentiment = row
        .is_multiple_of(3)
        .then(|| json!({"polarity": SENTIMENTS[row % 2], "confidence": 0.6}));
    // Dates cover two years, so that a point is a month.
    let day = format!(
        "{}-{:02}-{:02}",
        2023 + row / 3 % 2,
        row * 5 / 4 % 12 + 1,
        row % 28 + 1
    );
    json!({
        "schema": 1, "row": row, "text": text, "columns": {"when": day, "stars": 4},
        "sentiment": sentiment, "aspects": aspects, "opinions": opinions,
    })
}

fn many() -> Vec<Value> {
    let one = |i: usize| {
        let found: Vec<_> = (0..i % 4)
            .map(|j| {
                (
                    TERMS[(i * 5 + j * 3) % 8].0,
                    SENTIMENTS[(i / 4 + j) % 3],
                    ["fine", "odd"][(i + j) % 2],
                )
            })
            .collect();
        review(i, &found)
    };
    (0..500).map(one).collect()
}

fn make(lines: &[String], settings: &ReportSettings) -> Result<Report, ReportError> {
    let input = lines.join("\n");
    Report::make(
        &|| Ok(Box::new(Cursor::new(input.clone())) as Box<dyn BufRead>),
        settings,
    )
}

fn lines(reviews: &[Value]) -> Vec<String> {
    reviews.iter().map(Value::to_string).collect()
}

fn counts(tally: Tally) -> [u64; 3] {
    [Sentiment::Positive, Sentiment::Negative, Sentiment::Neutral]
        .map(|polarity| tally.get(polarity))
}

/// The report has the same numbers as counting over the JSON.
#[test]
fn numbers_are_those_of_plain_counting() {
    let reviews = many();
    let settings = ReportSettings {
        dates: Some(DateColumn {
            name: "when".into(),
            format: DateFormat::Common,
        }),
        ..ReportSettings::default()
    };
    let report = make(&lines(&reviews), &settings).unwrap();

    let mut groups: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    let mut mentioned: BTreeMap<&str, u64> = BTreeMap::new();
    let mut months: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    let mut said: BTreeMap<(&str, usize, &str), u64> = BTreeMap::new();
    let (mut texts, mut all, mut with) = ([0; 3], [0; 3], 0);
    let place = |value: &Value| SENTIMENTS.iter().position(|name| value == name).unwrap();
    for review in &reviews {
        if let Some(sentiment) = review["sentiment"].get("polarity") {
            texts[place(sentiment)] += 1;
        }
        let aspects = review["aspects"].as_array().unwrap();
        with += u64::from(!aspects.is_empty());
        let mut here: Vec<&str> = Vec::new();
        for (i, aspect) in aspects.iter().enumerate() {
            let class = place(&aspect["sentiment"]);
            let group = TERMS
                .iter()
                .find(|(term, _)| aspect["term"] == *term)
                .unwrap()
                .1;
            groups.entry(group).or_default()[class] += 1;
            all[class] += 1;
            here.push(group);
            let month = review["columns"]["when"].as_str().unwrap()[..7].to_owned();
            months.entry(month).or_default()[class] += 1;
            *said
                .entry((
                    group,
                    class,
                    review["opinions"][i]["term"].as_str().unwrap(),
                ))
                .or_default() += 1;
        }
        here.sort_unstable();
        here.dedup();
        here.into_iter()
            .for_each(|group| *mentioned.entry(group).or_default() += 1);
    }
    let totals = &report.totals;
    assert_eq!(
        (totals.reviews, totals.with_aspects, totals.bad_lines),
        (500, with, 0)
    );
    assert_eq!((counts(totals.aspects), counts(totals.texts)), (all, texts));
    assert_eq!(totals.opinions, all.iter().sum::<u64>());
    assert_eq!(report.groups.len(), groups.len());
    for group in &report.groups {
        let name = group.name.as_str();
        assert_eq!(
            (counts(group.aspects), group.reviews),
            (groups[name], mentioned[name]),
            "{name}"
        );
        assert_eq!(
            group.members.iter().map(|(_, count)| count).sum::<u64>(),
            group.aspects.total()
        );
        let opinions = group.opinions.iter().flat_map(|(polarity, words)| {
            let class = [Sentiment::Positive, Sentiment::Negative, Sentiment::Neutral]
                .iter()
                .position(|p| p == polarity)
                .unwrap();
            words
                .iter()
                .map(move |(word, count)| ((name, class, word.as_str()), *count))
        });
        let expected: BTreeMap<_, _> = said
            .iter()
            .filter(|((group, ..), _)| *group == name)
            .map(|(k, v)| (*k, *v))
            .collect();
        assert_eq!(opinions.collect::<BTreeMap<_, _>>(), expected);
        let in_trend = group
            .trend
            .iter()
            .map(|point| point.aspects.total())
            .sum::<u64>();
        assert_eq!(in_trend, group.aspects.total());
    }
    let sizes: Vec<u64> = report
        .groups
        .iter()
        .map(|group| group.aspects.total())
        .collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    let trend = report.trend.as_ref().unwrap();
    assert_eq!((trend.step.name(), trend.points.len()), ("month", 24));
    for point in &trend.points {
        let month = point.start.to_string()[..7].to_owned();
        let expected = months.remove(&month).unwrap_or_default();
        assert_eq!(counts(point.aspects), expected, "{month}");
    }
    assert!(months.is_empty(), "{months:?}");

    // The page shows the same numbers.
    let page = html(&report);
    for group in &report.groups {
        let [positive, negative, neutral] = groups[group.name.as_str()];
        assert!(
            page.contains(&format!(
                "{positive} positive, {neutral} neutral, {negative} negative."
            )),
            "{}",
            group.name
        );
    }
}

#[test]
fn small_groups_are_left_out_and_counted() {
    let settings = ReportSettings {
        min_count: 150,
        top: 2,
        ..ReportSettings::default()
    };
    let all = make(&lines(&many()), &ReportSettings::default()).unwrap();
    let some = make(&lines(&many()), &settings).unwrap();
    let enough = all
        .groups
        .iter()
        .filter(|group| group.aspects.total() >= 150)
        .count()
        .min(2);
    assert_eq!(some.groups, all.groups[..enough]);
    let left: u64 = all.groups[enough..]
        .iter()
        .map(|group| group.aspects.total())
        .sum();
    assert!(left > 0 && some.unshown.total() == left && some.totals.groups == 4);
    assert!(html(&some).contains("smaller group"));
}

#[test]
fn nothing_that_a_review_says_is_markup() {
    let evil = "<script>window.hacked=1</script>\"' onload='x' </style></script><!--";
    let mut reviews = vec![review(
        1,
        &[
            (evil, "negative", evil),
            ("&amp;", "positive", "a\"b"),
            ("bell\u{7}\u{0}", "neutral", "x"),
        ],
    )];
    reviews[0]["columns"] = json!({"when": evil});
    reviews.push(review(2, &[("soup", "positive", "good")]));
    let mut lines = lines(&reviews);
    lines.push("</script><script>window.hacked=2</script>".to_owned());
    lines.push(format!("{{\"schema\":1,\"text\":{}}}", json!(evil)));
    let aspects = json!([{"term": 1, "sentiment": evil}]);
    lines.push(json!({"schema": 1, "text": "x", "aspects": aspects, "opinions": []}).to_string());
    let settings = ReportSettings {
        title: evil.to_owned(),
        dates: Some(DateColumn {
            name: "when".into(),
            format: DateFormat::Common,
        }),
        ..ReportSettings::default()
    };
    let report = make(&lines, &settings).unwrap();
    assert_eq!((report.totals.reviews, report.totals.bad_lines), (2, 3));
    let page = html(&report);
    assert_eq!(page.to_lowercase().matches("<script").count(), 1);
    assert_eq!(page.to_lowercase().matches("</script").count(), 1);
    assert_eq!(
        (
            page.matches("<style").count(),
            page.matches("</style").count(),
            page.matches("<!--").count()
        ),
        (1, 1, 0)
    );
    assert!(page.contains("&lt;script&gt;window.hacked=1&lt;/script&gt;"));
    assert!(!page.contains("onload='x'\"") && page.contains("&quot;"));
    assert!(
        page.contains("&amp;amp;"),
        "text that looks escaped is escaped again"
    );
    for address in ["http://", "https://", "src=", "@import", "url("] {
        let own = page.matches("http://www.w3.org/2000/svg").count();
        let found = page.matches(address).count();
        assert_eq!(
            found,
            if address == "http://" { own } else { 0 },
            "{address}"
        );
    }
}

#[test]
fn the_page_is_bounded_whatever_the_reviews() {
    let long = "word ".repeat(20_000);
    let one = |i: usize| {
        let mut review = review(i, &[(&format!("thing{i}"), "positive", &long)]);
        review["text"] = json!(format!("{}{long}", review["text"].as_str().unwrap()));
        review
    };
    let mut reviews: Vec<Value> = (0..150).map(one).collect();
    reviews.push(review(1, &[(&"W".repeat(1_000_000), "negative", "odd")]));
    reviews.push(review(2, &[("soup", &"Q".repeat(1_000_000), "odd")]));
    let report = make(
        &lines(&reviews),
        &ReportSettings {
            top: 1000,
            ..ReportSettings::default()
        },
    )
    .unwrap();
    assert_eq!((report.groups.len(), report.totals.bad_lines), (151, 1));
    let page = html(&report);
    assert!(page.len() < 600_000, "{}", page.len());
}

#[test]
fn values_that_are_not_dates_are_reported() {
    let mut reviews = vec![
        review(1, &[("soup", "positive", "good")]),
        review(2, &[("soup", "negative", "bad")]),
    ];
    let settings = |name: &str, format| ReportSettings {
        dates: Some(DateColumn {
            name: name.into(),
            format,
        }),
        ..ReportSettings::default()
    };
    let error = make(&lines(&reviews), &settings("date", DateFormat::Common))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`date`") && error.contains("`stars`, `when`"),
        "{error}"
    );
    reviews[0]["columns"]["when"] = json!("03/01/2024");
    reviews[1]["columns"]["when"] = json!("03/02/2024");
    let error = make(&lines(&reviews), &settings("when", DateFormat::Common))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("03/01/2024") && error.contains("--date-format"),
        "{error}"
    );
    reviews.push(review(3, &[]));
    reviews.push(review(4, &[]));
    reviews[2]["columns"]["when"] = json!("13/31/2024");
    reviews[3]["columns"]["when"] = json!("2024-03-04T10:00:00Z");
    reviews.push(json!({"schema": 1, "row": null, "text": "", "aspects": [], "opinions": []}));
    let report = make(
        &lines(&reviews),
        &settings("when", DateFormat::strptime("%m/%d/%Y").unwrap()),
    )
    .unwrap();
    let trend = report.trend.as_ref().unwrap();
    assert_eq!(
        (
            trend.dates.read,
            trend.dates.unreadable,
            trend.dates.missing
        ),
        (3, 1, 1)
    );
    // A date with a time needs no format.
    assert_eq!(trend.points.len(), 4);
    let page = html(&report);
    assert!(
        page.contains("1 review without a date.") && page.contains("such as “13/31/2024”"),
        "{page}"
    );
}

#[test]
fn the_page_names_the_dates_of_the_first_and_last_review_not_of_weeks() {
    // A Sunday and a Wednesday; the weeks between them begin on Mondays.
    let line = |day: &str| {
        format!(
            r#"{{"schema":1,"text":"Nice.","columns":{{"on":"{day}"}},"aspects":[],"opinions":[]}}"#
        )
    };
    let settings = ReportSettings {
        dates: Some(DateColumn {
            name: "on".to_owned(),
            format: DateFormat::Common,
        }),
        ..ReportSettings::default()
    };
    let report = make(&[line("2024-01-14"), line("2024-05-01")], &settings).unwrap();
    assert_eq!(report.trend.as_ref().unwrap().step.name(), "week");
    assert!(html(&report).contains("2 reviews, 2024-01-14 to 2024-05-01"));
    let one = make(&[line("2024-01-14")], &settings).unwrap();
    assert!(html(&one).contains("1 review, 2024-01-14<"));
}

#[test]
fn doubtful_aspects_can_be_left_out() {
    let line = |confidence: f32| {
        format!(
            r#"{{"schema":1,"text":"Nice hose.","aspects":[{{"term":"hose","start":5,"end":9,
            "sentiment":"positive","span_confidence":{confidence},"sentiment_confidence":1.0,
            "opinions":[]}}],"opinions":[]}}"#
        )
        .replace('\n', " ")
    };
    let lines = [line(0.9), line(0.2)];
    let aspects = |min_confidence| {
        let settings = ReportSettings {
            min_confidence,
            ..ReportSettings::default()
        };
        let report = make(&lines, &settings).unwrap();
        (
            report.totals.aspects.total(),
            report.groups[0].aspects.total(),
        )
    };
    assert_eq!(aspects(0.0), (2, 2));
    assert_eq!(aspects(0.5), (1, 1));
}
