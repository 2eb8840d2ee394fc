"""Analysis of data frames of Apache Spark.

    analyzed = imn.spark.analyze(reviews, column="text", keep=["id", "day"])
    aspects = imn.spark.explode_aspects(analyzed)

Every Python worker of Spark opens the model once and keeps it for all its tasks. The package must
be installed on all machines of the cluster.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class _Settings:
    """The settings of an analyzer, sent to the workers."""

    model: str | None
    scheme: str | None
    min_confidence: float
    max_bytes: int
    precision: str | None

    def open(self, model: str | None, threads: int) -> Analyzer:
        """The analyzer of this process. `model` is where this machine has the model."""
        return analyzer(
            model,
            scheme=self.scheme,
            threads=threads,
            min_confidence=self.min_confidence,
            max_bytes=self.max_bytes,
            precision=self.precision,
        )


def analyze(
    df: DataFrame,
    column: str = "text",
    model: str | os.PathLike[str] | None = None,
    keep: Sequence[str] | None = None,
    *,
    scheme: str | None = None,
    min_confidence: float = 0.0,
    max_bytes: int = 1 << 20,
    precision: str | None = None,
) -> DataFrame:
    """Analyse a column of a data frame.

    column: the text column, of type string.
    model: name of a built-in model, a file that was shipped with `SparkContext.addFile`, or the
        path of a file that exists on every machine; the default built-in model if None.
    keep: list of the columns of `df` to keep; all of them if None.
    precision: "f32", "int8", or if every machine has AVX512-BF16 "bf16"; the model's if None.

    The result has the kept columns and `sentiment` and `sentiment_confidence` of the whole text,
    `aspects` and `opinions` (arrays of structs), and `reason`. A row that cannot be analysed (null,
    not UTF-8, or longer than `max_bytes`) has null in all of them but `reason`, which says why. A
    kept column with one of these names, in upper or lower case, is renamed to `input_NAME`.

    Arguments are checked at once. A model that this machine does not have is checked by the tasks.
    """
    kept = _kept_columns(df, column, keep)
    name = None if model is None else os.fspath(model)
    settings = _Settings(name, scheme, min_confidence, max_bytes, precision)
    _check_settings(settings)
    renamed = _renamed(kept)
    # Plain names in between, because mapInArrow does not accept all names. The text comes last, as
    # bytes: Spark does not check strings, and Arrow would refuse a batch with one bad string.
    text = F.col(_quoted(column)).cast("binary").alias("text")
    selected = [F.col(_quoted(old)).alias(f"c{i}") for i, old in enumerate(kept)]
    table = df.select(*selected, text)
    fields = [
        T.StructField(new, field.dataType, field.nullable, field.metadata)
        for new, field in zip(renamed, table.schema.fields, strict=False)
    ]
    fields += [T.StructField(name, kind) for name, (_, kind) in _ADDED.items()]
    run = _task(column, renamed, settings)
    return table.mapInArrow(run, T.StructType(fields))


def _kept_columns(df: DataFrame, column: str, keep: Sequence[str] | None) -> list[str]:
    """The columns to keep, once they and the text column are known to be usable."""
    if isinstance(keep, str):
        raise TypeError(f"keep: expected a list of columns, not a str; pass keep=[{keep!r}]")
    kept = list(df.columns if keep is None else keep)
    missing = [name for name in [column, *kept] if name not in df.columns]
    if missing:
        known = ", ".join(df.columns)
        raise ValueError(f"no column `{missing[0]}`; columns: {known}")
    repeated = [name for i, name in enumerate(kept) if name in kept[:i]]
    if repeated:
        raise ValueError(f"keep: column `{repeated[0]}` is repeated")
    kind = df.schema[column].dataType
    if not isinstance(kind, (T.StringType, T.CharType, T.VarcharType)):
        found = kind.simpleString()
        raise ValueError(f"column `{column}` has type {found}, not string; cast it to string")
    return kept


def _check_settings(settings: _Settings) -> None:
    """Raises the exception that the tasks would raise, as far as this machine can tell."""
    if not 0.0 <= settings.min_confidence <= 1.0:
        raise ValueError("min_confidence: expected a number from 0 to 1")
    model = settings.model
    if _built_in(model) or (model is not None and os.path.exists(model)):
        settings.open(model, threads=1)


def _renamed(kept: list[str]) -> list[str]:
    """The names of kept columns in the result. Spark ignores the case of names."""
    taken = {name.lower() for name in [*_ADDED, *kept]}
    names = []
    for name in kept:
        if name.lower() in _ADDED:
            while name.lower() in taken:
                name = f"input_{name}"
            taken.add(name.lower())
        names.append(name)
    return names


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
        F.col(_quoted(name)).alias(f"input_{name}" if name.lower() in ours else name)
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
    column: str, kept: list[str], settings: _Settings
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that runs in the Python workers."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from imn import spark

        using = spark._open(settings)
        for batch in batches:
            yield from spark._analyze_batch(using, batch, column, kept)

    return run


def _open(settings: _Settings) -> Analyzer:
    """The analyzer of this worker, with as many threads as a task has cores (spark.task.cpus)."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return settings.open(_located(settings.model), threads=context.cpus() if context else 1)


def _built_in(model: str | None) -> bool:
    return model is None or any(model == known["name"] for known in models())


def _located(model: str | None) -> str | None:
    """The name or path of the model on this machine."""
    if model is None or _built_in(model):
        return model
    from pyspark import SparkFiles

    shipped = SparkFiles.get(os.path.basename(model))
    return shipped if os.path.exists(shipped) else model


def _analyze_batch(
    using: Analyzer, batch: pa.RecordBatch, column: str, kept: list[str]
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.compute as pc

    # Only the text passes through the analyzer. The kept columns are joined to its result.
    texts, bad = _decoded(batch.column(batch.num_columns - 1))
    text = pa.record_batch([texts], names=[column])
    reader = pa.RecordBatchReader.from_stream(using.analyze_arrow(text, column, reason="reason"))
    start = 0
    for found in reader:
        columns = [batch.column(i).slice(start, len(found)) for i in range(len(kept))]
        columns += [found.column(name) for name, _ in _ADDED.values()]
        if bad is not None:
            columns[-1] = pc.coalesce(bad.slice(start, len(found)), columns[-1])
        start += len(found)
        yield pa.record_batch(columns, names=[*kept, *_ADDED])


def _decoded(column: pa.Array) -> tuple[pa.Array, pa.Array | None]:
    """A column of bytes as strings. Bytes that are not UTF-8 become null; the second array then has
    the reason in their rows, and null in others."""
    import pyarrow as pa

    kind = pa.large_string() if pa.types.is_large_binary(column.type) else pa.string()
    try:
        return column.cast(kind), None
    except pa.ArrowInvalid:
        pass
    texts: list[str | None] = []
    reasons: list[str | None] = []
    for value in column.to_pylist():
        text = reason = None
        try:
            text = None if value is None else value.decode("utf-8")
        except UnicodeDecodeError as error:
            # As in the errors of `imn analyze`, without its advice about files.
            reason = f"not UTF-8: byte {error.start + 1} of the row"
        texts.append(text)
        reasons.append(reason)
    return pa.array(texts, kind), pa.array(reasons, pa.string())
