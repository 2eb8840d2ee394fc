"""Types of arguments and results."""

from __future__ import annotations

import os
from typing import Literal, Protocol, TypeAlias, TypedDict

Sentiment: TypeAlias = Literal["positive", "negative", "neutral"]
Path: TypeAlias = str | os.PathLike[str]


class SupportsArrowStream(Protocol):
    """An object that exports a stream: a table, data frame, series or reader."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class SupportsArrowArray(Protocol):
    """An object that exports an array: a record batch or an array."""

    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...


class BuiltInModel(TypedDict):
    """A built-in model."""

    name: str
    about: str
    bytes: int
    default: bool
