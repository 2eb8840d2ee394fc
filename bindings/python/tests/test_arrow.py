"""`Analyzer.analyze_arrow`: Arrow in, Arrow out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import sentences

import imn

FOUND = ["text_sentiment", "text_confidence", "aspects", "opinions"]


def table(count: int = 30) -> pa.Table:
    texts = sentences(count)
    return pa.table({"id": range(count), "stars": [3.5] * count, "text": texts})


def test_the_columns_are_those_of_the_command(
    analyzer: imn.Analyzer, command: Callable[..., str], tmp_path: Path
) -> None:
    data = table()
    pq.write_table(data, tmp_path / "in.parquet")
    command(
        "analyze", tmp_path / "in.parquet", "--out", tmp_path / "out.parquet", "--offsets", "chars"
    )
    expected = pq.read_table(tmp_path / "out.parquet")
    stream = analyzer.analyze_arrow(data, column="text")
    assert stream.columns == expected.schema.names
    found = pa.table(stream)
    assert found.schema.metadata[b"imn.offset_unit"] == b"chars"
    assert found.schema.remove_metadata() == expected.schema.remove_metadata()
    assert found.equals(expected)


def test_text_is_not_copied(analyzer: imn.Analyzer) -> None:
    data = table().combine_chunks()
    found = pa.table(analyzer.analyze_arrow(data))

    def address(data: pa.Table) -> int:
        return int(data["text"].chunk(0).buffers()[2].address)

    assert address(found) == address(data)


def test_batches_are_computed_when_they_are_read(analyzer: imn.Analyzer) -> None:
    taken = []

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in table(60).to_batches(max_chunksize=20):
            taken.append(len(batch))
            yield batch

    reader = pa.RecordBatchReader.from_batches(table().schema, batches())
    stream = pa.RecordBatchReader.from_stream(analyzer.analyze_arrow(reader))
    assert taken == []
    first = stream.read_next_batch()
    assert len(first) == 20 and len(taken) <= 2
    rows = pa.Table.from_batches([first, *stream])
    assert rows["row"].to_pylist() == list(range(1, 61))


def test_large_batches_are_divided(analyzer: imn.Analyzer) -> None:
    data = pa.table({"text": ["Fine."] * 4200})
    stream = pa.RecordBatchReader.from_stream(analyzer.analyze_arrow(data))
    sizes = [len(batch) for batch in stream]
    assert sum(sizes) == 4200 and max(sizes) < 4200


def test_a_table_can_be_read_again_and_a_reader_cannot(analyzer: imn.Analyzer) -> None:
    stream = analyzer.analyze_arrow(table(5))
    assert pa.table(stream).equals(pa.table(stream))
    once = analyzer.analyze_arrow(table(5).to_reader())
    assert pa.table(once).num_rows == 5
    with pytest.raises(imn.DataError, match="only once"):
        pa.table(once)


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
)
def test_kinds_of_strings_and_nulls(analyzer: imn.Analyzer, kind: pa.DataType) -> None:
    texts = ["Great ramen!", None, "", "The crème brûlée was superb."]
    plain = pa.table(analyzer.analyze_arrow(pa.table({"text": texts})))
    column = pa.array(texts).cast(kind) if "view" not in str(kind) else pa.array(texts, kind)
    found = pa.table(analyzer.analyze_arrow(pa.table({"text": column})))
    assert found.select(FOUND).equals(plain.select(FOUND))
    assert found["aspects"][1].as_py() is None and found["aspects"][2].as_py() == []
    assert found["text"].to_pylist() == texts


def test_arrays_batches_and_columns_of_nulls(analyzer: imn.Analyzer) -> None:
    array = pa.array(["Great ramen!", None])
    for data in [array, pa.chunked_array([array]), pa.record_batch({"text": array})]:
        assert pa.table(analyzer.analyze_arrow(data))["text"].to_pylist() == array.to_pylist()
    nothing = pa.table(analyzer.analyze_arrow(pa.table({"text": pa.nulls(3)})))
    assert nothing["aspects"].null_count == 3
    empty = pa.table(analyzer.analyze_arrow(table().slice(0, 0)))
    assert empty.num_rows == 0 and "aspects" in empty.schema.names


def test_reasons_and_names(analyzer: imn.Analyzer) -> None:
    data = pa.table({"body": ["Great ramen!", None], "row": [7, 8], "key": ["a", "b"]})
    stream = analyzer.analyze_arrow(data, "body", id="key", reason="why")
    found = pa.table(stream)
    assert found.schema.names == ["row", "id", "text", "input_row", *FOUND, "why"]
    assert found["why"].to_pylist() == [None, "`body` is null, not a string"]
    short = imn.Analyzer(max_bytes=5).analyze_arrow(data, "body", reason="why")
    assert pa.table(short)["why"][0].as_py().startswith("longer than 5 bytes")
    assert repr(stream).startswith("ArrowStream(columns=[row, id, text")


def test_data_that_cannot_be_analysed(analyzer: imn.Analyzer) -> None:
    with pytest.raises(TypeError, match="PyCapsule"):
        analyzer.analyze_arrow(["a", "b"])  # type: ignore[arg-type]
    with pytest.raises(imn.DataError, match=r"no column `x` \(columns: "):
        analyzer.analyze_arrow(table(), "x")
    with pytest.raises(imn.DataError, match="`stars` is a number, not a string"):
        analyzer.analyze_arrow(table(), "stars")
    with pytest.raises(imn.DataError, match="same name"):
        analyzer.analyze_arrow(pa.table([["a"], ["b"]], names=["text", "text"]))


def test_damaged_strings_are_an_error(analyzer: imn.Analyzer) -> None:
    offsets = pa.array([0, 2], pa.int32()).buffers()[1]
    damaged = pa.StringArray.from_buffers(1, offsets, pa.py_buffer(b"\xff\xfe"))
    with pytest.raises((pa.ArrowInvalid, OSError), match="(?i)utf-?8"):
        pa.table(analyzer.analyze_arrow(pa.table({"text": damaged})))


def test_an_error_of_the_input_is_an_error(analyzer: imn.Analyzer) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield table(5).to_batches()[0]
        raise RuntimeError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(table().schema, batches())
    with pytest.raises((pa.ArrowException, OSError), match="the disk is gone"):
        pa.table(analyzer.analyze_arrow(reader))
