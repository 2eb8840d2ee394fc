"""Analysis as an expression of Polars.

Importing this module adds the namespace `imn` to expressions and series:

>>> import polars as pl
>>> import imn.polars
>>> frame = pl.LazyFrame({"text": ["Great ramen!", None]})
>>> analyzed = frame.with_columns(pl.col("text").imn.analyze().alias("found")).collect()
>>> analyzed["found"].struct.field("aspects").list.len().to_list()
[1, None]
"""

from __future__ import annotations

import os
from functools import partial

import polars as pl

from ._cache import analyzer
from ._imn import Analyzer

_LINK = pl.Struct({"opinion": pl.Int64, "weight": pl.Float32})
_ASPECT = pl.Struct(
    {
        "term": pl.String,
        "start": pl.Int64,
        "end": pl.Int64,
        "sentiment": pl.String,
        "span_confidence": pl.Float32,
        "sentiment_confidence": pl.Float32,
        "opinions": pl.List(_LINK),
    }
)
_OPINION = pl.Struct(
    {"term": pl.String, "start": pl.Int64, "end": pl.Int64, "confidence": pl.Float32}
)

#: The type of an analysis: the columns that `imn analyze` adds to a table.
ANALYSIS = pl.Struct(
    {
        "text_sentiment": pl.String,
        "text_confidence": pl.Float32,
        "aspects": pl.List(_ASPECT),
        "opinions": pl.List(_OPINION),
    }
)


def _analyze(series: pl.Series, using: Analyzer) -> pl.Series:
    if series.dtype == pl.Null:
        # A column without any text: as strings, it has the nulls that every other column has.
        series = series.cast(pl.String)
    stream = using.analyze_arrow(series, column="text")
    frame = pl.DataFrame(stream).select(field.name for field in ANALYSIS.fields)
    # An empty frame has no chunks, and its types come from the schema.
    return frame.to_struct(series.name).cast(ANALYSIS)


@pl.api.register_expr_namespace("imn")
class ImnExpr:
    """The namespace `imn` of expressions."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def analyze(
        self,
        model: str | os.PathLike[str] | None = None,
        *,
        scheme: str | None = None,
        threads: int | None = None,
        min_confidence: float = 0.0,
        precision: str | None = None,
    ) -> pl.Expr:
        """Analyses of a column of strings, as structs of the type `ANALYSIS`.

        The model is opened once per process. A null text has null in all fields.
        """
        using = analyzer(
            model,
            scheme=scheme,
            threads=threads,
            min_confidence=min_confidence,
            precision=precision,
        )
        return self._expr.map_batches(
            partial(_analyze, using=using), return_dtype=ANALYSIS, is_elementwise=True
        )


@pl.api.register_series_namespace("imn")
class ImnSeries:
    """The namespace `imn` of series."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def analyze(
        self,
        model: str | os.PathLike[str] | None = None,
        *,
        scheme: str | None = None,
        threads: int | None = None,
        min_confidence: float = 0.0,
        precision: str | None = None,
    ) -> pl.Series:
        """Analyses of the strings, as structs of the type `ANALYSIS`."""
        using = analyzer(
            model,
            scheme=scheme,
            threads=threads,
            min_confidence=min_confidence,
            precision=precision,
        )
        return _analyze(self._series, using)
