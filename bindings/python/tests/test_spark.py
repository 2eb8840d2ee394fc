"""`imn.spark` on a real standalone cluster of two workers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cluster import Cluster, environment
from conftest import ROOT, sentences
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import imn
import imn.spark

pytestmark = pytest.mark.spark

CORES = 2


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("cluster"), CORES)
    try:
        yield cluster
    finally:
        left = cluster.stop()
    assert left == []


@pytest.fixture(scope="module")
def spark(cluster: Cluster) -> Iterator[SparkSession]:
    os.environ.update({key: value for key, value in environment("driver").items() if value})
    session = (
        SparkSession.builder.master(cluster.url)
        .appName("tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "512m")
        .config("spark.executor.memory", "512m")
        .config("spark.executor.cores", "1")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", str(cluster.folder / "warehouse"))
        .getOrCreate()
    )
    try:
        yield session
    finally:
        session.stop()


def reviews(spark: SparkSession, count: int, partitions: int) -> DataFrame:
    rows = list(enumerate(sentences(count)))
    return spark.createDataFrame(rows, "id long, text string").repartition(partitions)


def as_bytes(table: pa.Table) -> bytes:
    """The table as one IPC stream: equal values give equal bytes."""
    sink = pa.BufferOutputStream()
    # Copied row by row, so that neither offsets nor unused parts of buffers differ.
    plain = pa.Table.from_pylist(table.to_pylist(), schema=table.schema.remove_metadata())
    with pa.ipc.new_stream(sink, plain.schema) as writer:
        writer.write_table(plain)
    return bytes(sink.getvalue())


def test_results_are_those_of_the_command(
    spark: SparkSession, command: Callable[..., str], tmp_path: Path
) -> None:
    count = 300
    texts = sentences(count)
    pq.write_table(pa.table({"id": range(count), "text": texts}), tmp_path / "in.parquet")
    command(
        "analyze", tmp_path / "in.parquet", "--out", tmp_path / "out.parquet", "--offsets", "chars"
    )
    expected = pq.read_table(tmp_path / "out.parquet").drop_columns(["row"])
    expected = expected.rename_columns(
        ["id", "text", "sentiment", "sentiment_confidence", "aspects", "opinions"]
    )
    frame = spark.read.parquet(str(tmp_path / "in.parquet")).repartition(7)
    analyzed = imn.spark.analyze(frame, column="text", keep=["id", "text"])
    assert analyzed.columns == [*expected.schema.names, "reason"]
    found = analyzed.orderBy("id").toArrow()
    assert found["reason"].null_count == count
    found = found.drop_columns(["reason"]).cast(expected.schema.remove_metadata())
    assert as_bytes(found) == as_bytes(expected)


def test_bad_rows_have_a_reason_and_never_fail_the_task(spark: SparkSession) -> None:
    rows = [(1, "Great ramen!"), (2, None), (3, "x" * 200), (4, "")]
    frame = spark.createDataFrame(rows, "id int, body string")
    found = imn.spark.analyze(frame, "body", keep=["id"], max_bytes=100).orderBy("id").collect()
    assert [row.reason for row in found] == [
        None,
        "`body` is null, not a string",
        "longer than 100 bytes, the limit for a row",
        None,
    ]
    assert found[0].aspects[0].term == "ramen" and found[0].aspects[0].sentiment == "positive"
    assert found[1].aspects is None and found[2].opinions is None and found[3].aspects == []


def test_text_that_is_not_utf8_has_a_reason(spark: SparkSession, analyzer: imn.Analyzer) -> None:
    frame = spark.sql(
        "SELECT * FROM VALUES (1, 'Great ramen!'), "
        "(2, cast(X'676F6F6420736F7570FFFE' AS string)), (3, NULL), (4, 'crème brûlée 🍜') "
        "AS t(id, text)"
    ).coalesce(1)
    for keep in [None, ["id"]]:
        found = imn.spark.analyze(frame, keep=keep).orderBy("id").collect()
        assert [row.reason for row in found] == [
            None,
            "not UTF-8: byte 10 of the row",
            "`text` is null, not a string",
            None,
        ]
        assert found[1].aspects is None and found[1].sentiment is None
        expected = analyzer.analyze("Great ramen!").aspects
        assert [aspect.term for aspect in found[0].aspects] == [a.term for a in expected]
        assert found[3].aspects is not None
    good = imn.spark.analyze(frame.filter("id IN (1, 4)")).orderBy("id").toArrow()
    mixed = imn.spark.analyze(frame).filter("id IN (1, 4)").orderBy("id").toArrow()
    assert as_bytes(good) == as_bytes(mixed)


def test_arguments_are_checked_before_any_task(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 1 AS id, 'Great ramen!' AS text")
    for error, message, arguments in [
        (TypeError, r"pass keep=\['id'\]", {"keep": "id"}),
        (ValueError, "column `id` is repeated", {"keep": ["id", "text", "id"]}),
        (ValueError, "`id` has type int, not string", {"column": "id"}),
        (ValueError, "0 to 1", {"min_confidence": 1.5}),
        (imn.ModelError, "no annotation scheme `topics`", {"scheme": "topics"}),
        (imn.ModelError, "README.md", {"model": str(ROOT / "README.md")}),
    ]:  # fmt: skip
        with pytest.raises(error, match=message):
            imn.spark.analyze(frame, **arguments)  # type: ignore[arg-type]


def test_names_that_differ_in_case_are_taken(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 'Great ramen!' AS text, 1 AS Reason, 2 AS input_reason, 3 AS Start")
    found = imn.spark.analyze(frame)
    assert found.columns[:4] == ["text", "input_input_Reason", "input_reason", "Start"]
    row = imn.spark.explode_aspects(found).collect()[0]
    assert (row.input_input_Reason, row.input_reason, row.input_Start) == (1, 2, 3)


def test_kept_columns_keep_their_types_and_taken_names_are_renamed(spark: SparkSession) -> None:
    frame = spark.sql(
        "SELECT 'Great ramen!' AS text, date'2024-03-01' AS day, array(1, 2) AS `a.b`, "
        "'x' AS sentiment, cast(1.5 AS decimal(9, 2)) AS price, timestamp'2024-03-01 10:00' AS at"
    )
    found = imn.spark.analyze(frame)
    names = ["text", "day", "a.b", "input_sentiment", "price", "at"]
    assert found.columns[:6] == names
    kinds = [field.dataType for field in found.schema.fields]
    assert kinds[:6] == [field.dataType for field in frame.schema.fields]
    before, after = frame.collect()[0], found.collect()[0]
    assert list(after)[:6] == list(before)
    with pytest.raises(ValueError, match="no column `body`; columns: text, day"):
        imn.spark.analyze(frame, "body")


def test_one_row_per_aspect(spark: SparkSession, analyzer: imn.Analyzer) -> None:
    frame = reviews(spark, 40, 3)
    rows = imn.spark.explode_aspects(imn.spark.analyze(frame)).orderBy("id", "start").collect()
    expected = [
        (number, aspect.term, aspect.sentiment, [opinion.term for opinion in aspect.opinions])
        for number, review in enumerate(analyzer.analyze_many(sentences(40)))
        for aspect in review.aspects
    ]
    assert [(row.id, row.aspect, row.sentiment, row.opinions) for row in rows] == expected
    assert {"text", "text_sentiment", "end", "span_confidence"} <= set(rows[0].asDict())


def test_models_that_are_shipped_or_local(spark: SparkSession, tmp_path: Path) -> None:
    name = imn.models()[-1]["name"]
    source = ROOT / "models" / f"{name}.imn"
    shipped, local = tmp_path / "shipped.imn", tmp_path / "local.imn"
    shutil.copy(source, shipped)
    shutil.copy(source, local)
    spark.sparkContext.addFile(str(shipped))
    frame = reviews(spark, 20, 2)
    expected = imn.spark.analyze(frame, model=name).orderBy("id").toArrow()
    for model in ["shipped.imn", str(local)]:
        assert imn.spark.analyze(frame, model=model).orderBy("id").toArrow() == expected
    with pytest.raises(Exception, match="neither a file nor a built-in model"):
        imn.spark.analyze(frame, model="nowhere.imn").collect()


def test_a_worker_loads_the_model_once(spark: SparkSession) -> None:
    settings = imn.spark._Settings(None, None, 0.0, 1 << 20, None)
    task = imn.spark._task("text", ["id"], settings)

    def counted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from imn import _cache

        rows = sum(len(batch) for batch in task(batches))
        loads = _cache._open.cache_info().misses
        yield pa.record_batch({"process": [os.getpid()], "loads": [loads], "rows": [rows]})

    frame = reviews(spark, 600, 200)
    assert frame.rdd.getNumPartitions() == 200
    probes = frame.mapInArrow(counted, "process long, loads long, rows long").collect()
    assert len(probes) == 200 and sum(probe.rows for probe in probes) == 600
    workers = {probe.process: probe.loads for probe in probes}
    # The cache of a worker also has the models of earlier tests, but no model twice.
    assert len(workers) <= CORES
    first = {probe.process: min(p.loads for p in probes if p.process == probe.process)
             for probe in probes}  # fmt: skip
    assert workers == first


def test_the_example_runs(
    cluster: Cluster, spark: SparkSession, tmp_path: Path
) -> None:
    texts = sentences(60)
    table = pa.table({"text": texts, "written": [f"2024-0{1 + i % 3}-11" for i in range(60)]})
    table = table.set_column(1, "written", table["written"].cast(pa.date32()))
    pq.write_table(table, tmp_path / "reviews.parquet")
    arguments = [str(tmp_path / "reviews.parquet"), str(tmp_path / "out"), "--day", "written"]
    # Without these, as in an environment that is not activated, the example sets its own Python.
    settings = environment("example")
    del settings["PYSPARK_PYTHON"], settings["PYSPARK_DRIVER_PYTHON"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/spark_reviews.py"), *arguments,
         "--master", "local[1]", "--partitions", "2"],
        capture_output=True, text=True, check=False, env=settings,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = pq.read_table(tmp_path / "out").to_pylist()
    assert {row["month"] for row in found} == {"2024-01", "2024-02", "2024-03"}
    expected = sum(len(review.aspects) for review in imn.Analyzer().analyze_many(texts))
    assert sum(row["mentions"] for row in found) == expected


def test_the_examples_of_the_documents(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(1, "Great ramen!", "2024-01-01")]
    frame = spark.createDataFrame(rows, "id int, text string, day string")
    blocks = []
    for document in ["docs/python.md", "docs/scale.md"]:
        text = (ROOT / document).read_text(encoding="utf-8")
        found = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        blocks += [code for code in found if "imn.spark" in code]
    assert len(blocks) >= 2
    for code in blocks:
        exec(compile(code, "document", "exec"), {"spark": spark, "reviews": frame})


def test_a_lost_worker_loses_and_duplicates_nothing(
    cluster: Cluster, spark: SparkSession, tmp_path: Path
) -> None:
    count, partitions = 2000, 40
    frame = imn.spark.analyze(reviews(spark, count, partitions), keep=["id"])
    spark.sparkContext.setJobGroup("lost", "a worker is lost")
    failed: list[BaseException] = []

    def write() -> None:
        try:
            frame.write.parquet(str(tmp_path / "out"))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    done = wait_for_tasks(spark, 3, thread)
    cluster.kill_worker(1)
    assert done < partitions, "the job ended before the worker was killed"
    thread.join(timeout=240)
    assert not thread.is_alive() and failed == []
    ids = sorted(pq.read_table(tmp_path / "out")["id"].to_pylist())
    assert ids == list(range(count))
    found = spark.read.parquet(str(tmp_path / "out"))
    assert found.filter(F.col("aspects").isNull()).count() == 0


def wait_for_tasks(spark: SparkSession, least: int, thread: threading.Thread) -> int:
    """Waits until some tasks of the last stage are done, and returns how many."""
    tracker = spark.sparkContext.statusTracker()
    end = time.monotonic() + 120
    while time.monotonic() < end and thread.is_alive():
        stages: list[Any] = [tracker.getStageInfo(i) for i in tracker.getActiveStageIds()]
        done = [
            stage.numCompletedTasks
            for stage in stages
            if stage is not None and stage.numTasks >= 40
        ]
        if done and max(done) >= least:
            return int(max(done))
        time.sleep(0.05)
    raise AssertionError("no task of the job was done in time")
