//! All readers, with any bytes that arrive in pieces of any size.

mod columns;

use std::io::Read;

use imn_io::delimited::Dialect;
use proptest::prelude::*;

use super::{InputFormat, InputSource, Item, ReadSettings, RowReader};
use crate::{InputError, Reason};

/// Bytes that arrive `step` at a time.
struct Slow {
    bytes: Vec<u8>,
    at: usize,
    step: usize,
}

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.step.min(buffer.len()).min(self.bytes.len() - self.at);
        buffer[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

fn settings(max_bytes: usize) -> ReadSettings {
    ReadSettings {
        max_bytes,
        ..ReadSettings::default()
    }
}

fn open(
    bytes: &[u8],
    step: usize,
    format: InputFormat,
    limit: usize,
) -> Result<Box<dyn RowReader>, InputError> {
    let raw = Slow {
        bytes: bytes.to_vec(),
        at: 0,
        step,
    };
    InputSource::rows(Box::new(raw), format, (0, "x".to_owned()), &settings(limit))
}

fn items(mut rows: Box<dyn RowReader>) -> Result<Vec<Item>, InputError> {
    let mut found = Vec::new();
    while let Some(item) = rows.next_row()? {
        found.push(item);
    }
    Ok(found)
}

fn read(
    bytes: &[u8],
    step: usize,
    format: InputFormat,
    limit: usize,
) -> Result<Vec<Item>, InputError> {
    items(open(bytes, step, format, limit)?)
}

/// The texts or reasons of a readable source.
fn texts(bytes: &[u8], format: InputFormat) -> Vec<Result<String, Reason>> {
    read(bytes, usize::MAX, format, 1000)
        .unwrap()
        .into_iter()
        .map(|item| item.map(|row| row.text).map_err(|error| error.reason))
        .collect()
}

fn text(text: &str) -> Result<String, Reason> {
    Ok(text.to_owned())
}

const STREAMS: [InputFormat; 5] = [
    InputFormat::Txt,
    InputFormat::Whole,
    InputFormat::Csv,
    InputFormat::Tsv,
    InputFormat::Jsonl,
];

/// Bytes that are special in at least one of the formats.
fn special_bytes() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "text",
        "id",
        ",",
        "\t",
        "\"",
        "\n",
        "\r\n",
        "\r",
        "{",
        "}",
        ":",
        "[",
        "]",
        "null",
        "\\",
        "a",
        "é",
        "\u{feff}",
        "\0",
        "1.5",
        "\"text\"",
        "{\"text\":\"b\"}\n",
    ];
    let mut pieces: Vec<Vec<u8>> = pieces.iter().map(|s| s.as_bytes().to_vec()).collect();
    pieces.extend([
        vec![0xff],
        vec![0xfe],
        vec![0x1f, 0x8b],
        vec![0x28, 0xb5, 0x2f, 0xfd],
    ]);
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn pieces_do_not_matter(
        body in special_bytes(),
        named in any::<bool>(),
        step in 1_usize..6,
        limit in 4_usize..40,
    ) {
        // Half of the inputs have a valid header.
        let bytes = if named { [b"id,text\n".to_vec(), body].concat() } else { body };
        for format in STREAMS {
            let slow = format!("{:?}", read(&bytes, step, format, limit));
            let fast = format!("{:?}", read(&bytes, usize::MAX, format, limit));
            prop_assert_eq!(slow, fast, "{:?}", format);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in STREAMS {
            let _ = read(&bytes, 7, format, 64);
        }
    }

    #[test]
    fn tables_come_back(
        rows in prop::collection::vec(prop::collection::vec("[a-c\",\n\r\t é]{0,6}", 3), 1..6),
        step in 1_usize..9,
    ) {
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(["key", "text", "other"]).unwrap();
        for row in &rows {
            table.write_record(row).unwrap();
        }
        let bytes = table.into_inner().unwrap();
        let found = read(&bytes, step, InputFormat::Csv, 1000).unwrap();
        prop_assert_eq!(found.len(), rows.len());
        for (item, row) in found.iter().zip(&rows) {
            let item = item.as_ref().unwrap();
            prop_assert_eq!(&item.text, &row[1]);
            for (i, at) in [(0, 0), (1, 2)] {
                let value: String = serde_json::from_str(item.columns.0[i].1.get()).unwrap();
                prop_assert_eq!(&value, &row[at]);
            }
        }
    }
}

#[test]
fn damage_after_the_size_limit_of_a_whole_file_is_an_error() {
    // A zstd frame whose block is cut short after literals that can already be decoded.
    let bytes = b"\x28\xb5\x2f\xfd\0{\"\r\n,,texttext";
    for step in [1, 2, usize::MAX] {
        assert!(matches!(
            read(bytes, step, InputFormat::Whole, 4),
            Err(InputError::Io { .. })
        ));
    }
}

#[test]
fn lines_marks_and_ends() {
    let bytes = b"\xef\xbb\xbfone\r\n\r\n  \ntwo\0\n\xff\nlast";
    let expected = [
        text("one"),
        text("two\0"),
        Err(Reason::Encoding { at: 1 }),
        text("last"),
    ];
    assert_eq!(texts(bytes, InputFormat::Txt), expected);
    let rows: Vec<u64> = read(bytes, 2, InputFormat::Txt, 100)
        .unwrap()
        .iter()
        .map(|item| match item {
            Ok(row) => row.place.row,
            Err(error) => error.place.row,
        })
        .collect();
    assert_eq!(rows, [1, 4, 5, 6], "rows of a text file are its lines");
    assert_eq!(texts(b"a\nb\n", InputFormat::Whole), [text("a\nb\n")]);
    for format in STREAMS.into_iter().filter(|&f| f != InputFormat::Whole) {
        assert_eq!(texts(b"", format), [], "{format:?}");
    }
    let utf16 = read(b"\xff\xfea\0", 9, InputFormat::Txt, 9).unwrap_err();
    assert!(utf16.to_string().contains("UTF-16"), "{utf16}");
}

#[test]
fn broken_tables() {
    let table = b"id,text\n1,good\n2\n3,\"two\nlines\"\n4,\xff\n\n5,a,b\n6,last";
    let found = read(table, 3, InputFormat::Csv, 100).unwrap();
    let places: Vec<(u64, Option<u64>)> = found
        .iter()
        .map(|item| match item {
            Ok(row) => (row.place.row, row.place.line),
            Err(error) => (error.place.row, error.place.line),
        })
        .collect();
    let lines = [(1, 2), (2, 3), (3, 4), (4, 6), (5, 8), (6, 9)];
    assert_eq!(places, lines.map(|(row, line)| (row, Some(line))));
    let expected = [
        text("good"),
        Err(Reason::Fields {
            expected: 2,
            found: 1,
            dialect: Dialect::Csv,
        }),
        text("two\nlines"),
        Err(Reason::Encoding { at: 2 }),
        Err(Reason::Fields {
            expected: 2,
            found: 3,
            dialect: Dialect::Csv,
        }),
        text("last"),
    ];
    assert_eq!(texts(table, InputFormat::Csv), expected);
    // Lines that end in \r\n count once.
    let found = read(b"text\r\na\r\n\r\nb\r\n", 1, InputFormat::Csv, 9).unwrap();
    let last = found.last().unwrap().as_ref().unwrap();
    assert_eq!((last.place.row, last.place.line), (2, Some(4)));
    for open in ["text\na\n\"b\nc\nd", "text\na\n\"b\nc\nd\n"] {
        let expected = [text("a"), Err(Reason::OpenQuote)];
        assert_eq!(texts(open.as_bytes(), InputFormat::Csv), expected);
    }
    let long = format!("text\n{}\nb\n", "a".repeat(2000));
    let expected = [Err(Reason::TooLong { limit: 1000 }), text("b")];
    assert_eq!(texts(long.as_bytes(), InputFormat::Csv), expected);
    // A byte-order mark that is not at the start belongs to the text.
    assert_eq!(
        texts("\n\u{feff}text\na\n".as_bytes(), InputFormat::Csv),
        [text("a")]
    );
    let mark = read(
        "\n\u{feff}text,b\na,c\n".as_bytes(),
        9,
        InputFormat::Csv,
        99,
    )
    .unwrap_err();
    assert!(mark.to_string().contains("`\u{feff}text`, `b`"), "{mark}");
    // TSV has no quoting.
    assert_eq!(
        texts(b"text\tx\n\"a\tb\nc\td\n", InputFormat::Tsv),
        [text("\"a"), text("c")]
    );
}

#[test]
fn a_wrong_number_of_fields_comes_with_its_usual_cause() {
    let reason = |bytes: &[u8], format| texts(bytes, format).remove(0).unwrap_err().to_string();
    for (table, format, expected) in [
        (
            &b"id,text\n1,good, cheap\n"[..],
            InputFormat::Csv,
            "3 fields, but the header has 2; put a text with commas in double quotes",
        ),
        (
            b"id;text\n1;good; cheap\n",
            InputFormat::Csv,
            "3 fields, but the header has 2; put a text with semicolons in double quotes",
        ),
        (
            b"id,text\ngood\n",
            InputFormat::Csv,
            "1 field, but the header has 2; put a text with line breaks in double quotes",
        ),
        (
            b"id\ttext\n1\tgood\tcheap\n",
            InputFormat::Tsv,
            "3 fields, but the header has 2; a text in TSV cannot contain tabs",
        ),
    ] {
        assert_eq!(reason(table, format), expected);
    }
}

#[test]
fn an_array_is_refused_as_jsonl() {
    let refused = |json: &str| {
        let opened = open(json.as_bytes(), 1, InputFormat::Jsonl, 100);
        opened.err().map(|error| error.to_string())
    };
    for (json, line) in [
        ("[{\"text\":\"a\"}]", 1),
        ("\r\n \n[\r\n{\"text\":\"a\"}\n]", 3),
        ("\u{feff}  [ ", 1),
        ("[\"a\",\"b\"]", 1),
    ] {
        let error = refused(json).unwrap();
        let start = format!("x:{line}: JSON arrays are not read");
        assert!(error.starts_with(&start), "{json:?}: {error}");
    }
    // One that is longer than a row, too.
    let long = format!("[{{\"text\":\"{}\"}}]", "a".repeat(500));
    assert!(refused(&long).unwrap().contains("JSON arrays"));
    // A list in the place of an object is a bad row.
    for json in ["[1]\n{\"text\":\"a\"}", "[[\n{\"text\":\"a\"}"] {
        let found = texts(json.as_bytes(), InputFormat::Jsonl);
        let reason = found[0].as_ref().unwrap_err().to_string();
        assert_eq!(reason, "not a JSON object: it is a list", "{json:?}");
        assert_eq!(found[1..], [text("a")], "{json:?}");
    }
    let rows = b"{\"text\":\"a\"}\n[{\"text\":\"a\"}]";
    assert!(texts(rows, InputFormat::Jsonl)[1].is_err());
}

/// The error of a CSV file that cannot be read.
fn refused(table: &str, column: Option<&str>) -> Option<String> {
    let settings = ReadSettings {
        column: column.map(str::to_owned),
        ..ReadSettings::default()
    };
    let raw = Box::new(std::io::Cursor::new(table.as_bytes().to_vec()));
    let place = (0, "a.csv".to_owned());
    let opened = InputSource::rows(raw, InputFormat::Csv, place, &settings);
    opened.err().map(|error| error.to_string())
}

#[test]
fn a_first_line_declares_the_separator_of_csv() {
    for (table, line) in [
        ("sep=;\r\ntext;stars\r\n\"a; b,\nc\";4,5\r\nbad\r\n", 5),
        ("\u{feff}sep=,\ntext,a;b\n\"a; b,\nc\",1\nbad\n", 5),
        ("sep=\t\ntext\tstars\na; b,\t5\nbad\n", 4),
    ] {
        let found = read(table.as_bytes(), 2, InputFormat::Csv, 100).unwrap();
        assert_eq!(found.len(), 2, "{table:?}");
        let row = found[0].as_ref().unwrap();
        assert!(row.text.starts_with("a; b,"), "{table:?}");
        assert_eq!((row.place.row, row.place.line), (1, Some(3)), "{table:?}");
        let error = found[1].as_ref().unwrap_err();
        let place = (error.place.row, error.place.line);
        assert_eq!(place, (2, Some(line)), "{table:?}");
    }
    // One column is one column, because the separator is known.
    assert_eq!(texts(b"sep=;\na|b\nc|d\n", InputFormat::Csv), [text("c|d")]);
    let error = refused("sep=|\ntext|stars\na|5\n", None).unwrap();
    let words = "a.csv:1: the line `sep=|` says that `|` separates the columns";
    assert!(error.contains(words), "{error}");
    assert!(error.contains("convert the file"), "{error}");
}

#[test]
fn another_encoding_is_named_with_the_fix() {
    let fix = "iconv -f WINDOWS-1252 -t UTF-8";
    for (bytes, format) in [
        (&b"text\ncaf\xe9\n"[..], InputFormat::Csv),
        (b"text\ncaf\xe9\n", InputFormat::Tsv),
        (b"{\"text\":\"caf\xe9\"}\n", InputFormat::Jsonl),
        (b"caf\xe9\n", InputFormat::Txt),
        (b"caf\xe9\n", InputFormat::Whole),
    ] {
        let found = texts(bytes, format).remove(0);
        let error = found.unwrap_err().to_string();
        assert!(error.starts_with("not UTF-8: byte "), "{format:?}: {error}");
        assert!(error.contains(fix), "{format:?}: {error}");
    }
    let header = read(b"text,caf\xe9\na,b\n", 9, InputFormat::Csv, 100);
    let error = header.unwrap_err().to_string();
    assert!(error.contains(fix), "{error}");
}
