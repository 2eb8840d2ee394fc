"""Analysis of data frames of Apache Spark.

    analyzed = imn.spark.analyze(reviews, column="text", keep=["id", "day"])
    aspects = imn.spark.explode_aspects(analyzed)

Every Python worker of Spark opens the model once and keeps it for all its tasks. The package must
be installed on all machines of the cluster.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from ._cache import analyzer
from ._imn import Analyzer, models

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

_LINK = T.StructType(
    [T.StructField("opinion", T.LongType()), T.StructField("weight", T.FloatType())]
)
_ASPECT = T.StructType(
    [
        T.StructField("term", T.StringType()),
        T.StructField("start", T.LongType()),
        T.StructField("end", T.LongType()),
        T.StructField("sentiment", T.StringType()),
        T.StructField("span_confidence", T.FloatType()),
        T.StructField("sentiment_confidence", T.FloatType()),
        T.StructField("opinions", T.ArrayType(_LINK)),
    ]
)
_OPINION = T.StructType(
    [
        T.StructField("term", T.StringType()),
        T.StructField("start", T.LongType()),
        T.StructField("end", T.LongType()),
        T.StructField("confidence", T.FloatType()),
    ]
)

#: The columns that `analyze` adds, and their names in the output of `imn analyze`.
_ADDED = {
    "sentiment": ("text_sentiment", T.StringType()),
    "sentiment_confidence": ("text_confidence", T.FloatType()),
    "aspects": ("aspects", T.ArrayType(_ASPECT)),
    "opinions": ("opinions", T.ArrayType(_OPINION)),
    "reason": ("reason", T.StringType()),
}


def analyze(
    df: DataFrame,
    column: str = "text",
    model: str | os.PathLike[str] | None = None,
    keep: Sequence[str] | None = None,
    *,
    scheme: str | None = None,
    min_confidence: float = 0.0,
    max_bytes: int = 1 << 20,
) -> DataFrame:
    """Analyse a column of a data frame.

    column: the text column.
    model: name of a built-in model, a file that was shipped with `SparkContext.addFile`, or the
        path of a file that exists on every machine; the default built-in model if None.
    keep: columns of `df` to keep; all of them if None.

    The result has the kept columns and `sentiment` and `sentiment_confidence` of the whole text,
    `aspects` and `opinions` (arrays of structs), and `reason`. A row that cannot be analysed (null,
    or longer than `max_bytes`) has null in all of them but `reason`, which says why. A kept column
    with one of these names is renamed to `input_NAME`.
    """
    kept = list(df.columns if keep is None else keep)
    missing = [name for name in [column, *kept] if name not in df.columns]
    if missing:
        known = ", ".join(df.columns)
        raise ValueError(f"no column `{missing[0]}`; columns: {known}")
    renamed = [f"input_{name}" if name in _ADDED else name for name in kept]
    # Plain names in between, because mapInArrow does not accept all names. The text comes last.
    selected = [F.col(_quoted(old)).alias(f"c{i}") for i, old in enumerate([*kept, column])]
    table = df.select(*selected)
    fields = [
        T.StructField(new, field.dataType, field.nullable, field.metadata)
        for new, field in zip(renamed, table.schema.fields, strict=False)
    ]
    fields += [T.StructField(name, kind) for name, (_, kind) in _ADDED.items()]
    name = None if model is None else os.fspath(model)
    run = _task(column, name, renamed, scheme, min_confidence, max_bytes)
    return table.mapInArrow(run, T.StructType(fields))


def explode_aspects(df: DataFrame) -> DataFrame:
    """One row per aspect of a data frame that `analyze` returned.

    `sentiment` and `sentiment_confidence` of the text become `text_sentiment` and
    `text_confidence`. `aspects` and `opinions` are replaced by `aspect` (the term), `start`, `end`,
    `sentiment`, `span_confidence`, `sentiment_confidence` and `opinions` (the terms of the opinions
    about the aspect). Rows without aspects are left out. Another column with one of these names is
    renamed to `input_NAME`.
    """
    names = ["start", "end", "sentiment", "span_confidence", "sentiment_confidence"]
    ours = {"text_sentiment", "text_confidence", "aspect", "found", "opinions", *names}
    others = [
        F.col(_quoted(name)).alias(f"input_{name}" if name in ours else name)
        for name in df.columns
        if name not in _ADDED
    ]
    text = [
        F.col("sentiment").alias("text_sentiment"),
        F.col("sentiment_confidence").alias("text_confidence"),
    ]
    rows = df.select(*others, *text, F.col("opinions"), F.explode("aspects").alias("found"))
    term = F.col("opinions.term")

    def linked(link: Column) -> Column:
        return F.element_at(term, (link["opinion"] + 1).cast("int"))

    return rows.select(
        *(F.col(_quoted(name)) for name in rows.columns if name not in ("opinions", "found")),
        F.col("found.term").alias("aspect"),
        *(F.col(f"found.{name}").alias(name) for name in names),
        F.transform("found.opinions", linked).alias("opinions"),
    )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _task(
    column: str,
    model: str | None,
    kept: list[str],
    scheme: str | None,
    min_confidence: float,
    max_bytes: int,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that runs in the Python workers."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from imn import spark

        using = spark._open(model, scheme, min_confidence, max_bytes)
        for batch in batches:
            yield from spark._analyze_batch(using, batch, column, kept)

    return run


def _open(
    model: str | None, scheme: str | None, min_confidence: float, max_bytes: int
) -> Analyzer:
    """The analyzer of this worker, with as many threads as a task has cores (spark.task.cpus)."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return analyzer(
        _located(model),
        scheme=scheme,
        threads=context.cpus() if context else 1,
        min_confidence=min_confidence,
        max_bytes=max_bytes,
    )


def _located(model: str | None) -> str | None:
    """The name or path of the model on this machine."""
    if model is None or any(model == known["name"] for known in models()):
        return model
    from pyspark import SparkFiles

    shipped = SparkFiles.get(os.path.basename(model))
    return shipped if os.path.exists(shipped) else model


def _analyze_batch(
    using: Analyzer, batch: pa.RecordBatch, column: str, kept: list[str]
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    # Only the text passes through the analyzer. The kept columns are joined to its result.
    text = pa.record_batch([batch.column(batch.num_columns - 1)], names=[column])
    reader = pa.RecordBatchReader.from_stream(using.analyze_arrow(text, column, reason="reason"))
    start = 0
    for found in reader:
        columns = [batch.column(i).slice(start, len(found)) for i in range(len(kept))]
        columns += [found.column(name) for name, _ in _ADDED.values()]
        start += len(found)
        yield pa.record_batch(columns, names=[*kept, *_ADDED])
