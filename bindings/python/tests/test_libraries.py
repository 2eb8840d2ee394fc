"""Polars, pandas and DuckDB."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
from conftest import sentences

import imn
import imn.polars

TEXTS: list[str | None] = [*sentences(20), None]


def test_polars_frames_and_series(analyzer: imn.Analyzer) -> None:
    frame = pl.DataFrame({"text": TEXTS, "n": range(len(TEXTS))})
    found = pl.DataFrame(analyzer.analyze_arrow(frame))
    assert found["text"].to_list() == TEXTS
    series = frame["text"].imn.analyze()  # type: ignore[attr-defined]
    assert series.dtype == imn.polars.ANALYSIS and series.name == "text"
    assert series.struct.unnest().equals(found.select(series.struct.fields))
    assert series.struct.field("aspects").to_list()[-1] is None


def test_polars_expressions_work_in_lazy_frames(analyzer: imn.Analyzer, tmp_path: Path) -> None:
    frame = pl.DataFrame({"text": TEXTS, "n": range(len(TEXTS))})
    frame.write_parquet(tmp_path / "reviews.parquet")
    query = (
        pl.scan_parquet(tmp_path / "reviews.parquet")
        .with_columns(pl.col("text").imn.analyze().alias("found"))  # type: ignore[attr-defined]
        .select("n", pl.col("found").struct.field("aspects"))
        .filter(pl.col("n") < 10)
        .explode("aspects")
        .unnest("aspects")
        .group_by("term")
        .agg(pl.len())
        .sort("term")
    )
    assert "sentiment" not in query.collect_schema()
    counted = dict(query.collect().iter_rows())
    expected: dict[str, int] = {}
    for review in analyzer.analyze_many([text for text in TEXTS[:10] if text]):
        for aspect in review.aspects:
            expected[aspect.term] = expected.get(aspect.term, 0) + 1
    assert counted == dict(sorted(expected.items()))
    streamed = query.collect(engine="streaming")
    assert dict(streamed.iter_rows()) == counted


def test_polars_without_rows() -> None:
    empty = pl.DataFrame({"text": []}, schema={"text": pl.String})
    found = empty.select(pl.col("text").imn.analyze())  # type: ignore[attr-defined]
    assert found.schema["text"] == imn.polars.ANALYSIS and found.height == 0
    nothing = pl.Series("text", [None, None]).imn.analyze()  # type: ignore[attr-defined]
    assert nothing.dtype == imn.polars.ANALYSIS
    assert nothing.struct.field("aspects").to_list() == [None, None]


def test_polars_columns_of_nulls(analyzer: imn.Analyzer) -> None:
    frame = pl.DataFrame({"text": ["Great ramen!", None], "other": [None, None]})
    assert frame.schema["other"] == pl.Null
    stream = analyzer.analyze_arrow(frame)
    for _ in range(2):
        found = pl.DataFrame(stream)
        assert found["other"].to_list() == [None, None]
        assert found["aspects"][0][0]["term"] == "ramen"
    nothing = pl.DataFrame(analyzer.analyze_arrow(pl.Series("text", [None])))
    assert nothing["text"].to_list() == [None]


def test_pandas(analyzer: imn.Analyzer) -> None:
    frame = pd.DataFrame({"text": TEXTS, "n": range(len(TEXTS))})
    found = pa.table(analyzer.analyze_arrow(frame)).to_pandas()
    assert list(found["n"]) == list(range(len(TEXTS)))
    assert found["aspects"].iloc[-1] is None
    assert len(found["aspects"].iloc[0]) == len(analyzer.analyze(sentences(20)[0]).aspects)
    categories = frame.assign(text=frame["text"].astype("category"))
    again = pa.table(analyzer.analyze_arrow(categories)).to_pandas()
    assert again["text_sentiment"].equals(found["text_sentiment"])


def test_duckdb(analyzer: imn.Analyzer) -> None:
    connection = duckdb.connect()
    reviews = pa.table({"text": TEXTS})
    # Two queries run at the same time, so the first one has a cursor of its own.
    stream = analyzer.analyze_arrow(connection.cursor().sql("SELECT text FROM reviews"))
    counted = connection.sql(
        "SELECT a.sentiment, count(*) AS n FROM (SELECT unnest(aspects) AS a FROM stream) "
        "GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    expected: dict[str, int] = {}
    for review in analyzer.analyze_many([text for text in TEXTS if text]):
        for aspect in review.aspects:
            expected[aspect.sentiment] = expected.get(aspect.sentiment, 0) + 1
    assert dict(counted) == expected
    assert reviews.num_rows == len(TEXTS)
