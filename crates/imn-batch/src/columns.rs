//! The input columns that are copied to flat outputs (CSV, Parquet).
//!
//! A table names its columns in its first row or in a schema. If all sources have the same columns,
//! each becomes an output column. JSONL has no header and every row may differ, so there all input
//! columns go into one output column `columns` as JSON.

/// The columns that this program adds to one row per review.
pub(crate) const OURS: [&str; 9] = [
    "file",
    "row",
    "id",
    "text",
    "columns",
    "text_sentiment",
    "text_confidence",
    "aspects",
    "opinions",
];

/// The type of a copied column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnType {
    /// Text. A value that is not a string is kept as its JSON.
    Text,
    /// A primitive type of a Parquet input.
    #[cfg(feature = "parquet")]
    Arrow(arrow_schema::DataType),
}

/// The columns of one source other than the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableHeader {
    /// The type of the id column, if there is one.
    pub id: Option<ColumnType>,
    /// Names and types, in order.
    pub columns: Vec<(String, ColumnType)>,
}

impl TableHeader {
    /// The header of a source that has only texts.
    #[must_use]
    pub fn texts_only() -> Self {
        Self {
            id: None,
            columns: Vec::new(),
        }
    }
}

/// How input columns are copied to a flat output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Columns {
    /// Each in a column of its own.
    Named(Vec<(String, ColumnType)>),
    /// All in one column `columns`, as a JSON object.
    Json,
}

/// The columns of a flat output that depend on the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableLayout {
    /// Whether a column names the source. True if there are several sources.
    pub file: bool,
    /// The type of the id column, if there is one.
    pub id: Option<ColumnType>,
    /// The other columns.
    pub columns: Columns,
}

impl TableLayout {
    /// The layout for sources with these headers; `None` is a source without a header.
    #[must_use]
    pub fn of<'a>(headers: impl IntoIterator<Item = Option<&'a TableHeader>>) -> Self {
        let mut all = headers.into_iter();
        let first = all.next().flatten();
        let others: Vec<Option<&TableHeader>> = all.collect();
        let file = !others.is_empty();
        match first {
            Some(header) if others.iter().all(|&other| other == Some(header)) => Self {
                file,
                id: header.id.clone(),
                columns: Columns::Named(header.columns.clone()),
            },
            _ => Self {
                file,
                id: Some(ColumnType::Text),
                columns: Columns::Json,
            },
        }
    }

    /// The name of an input column in an output that also has the columns `ours`: `input_NAME` if
    /// the name is taken.
    #[must_use]
    pub fn name_beside(name: &str, ours: &[&str]) -> String {
        if ours.contains(&name) {
            format!("input_{name}")
        } else {
            name.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> TableHeader {
        let columns = names
            .iter()
            .map(|name| ((*name).to_owned(), ColumnType::Text));
        TableHeader {
            id: None,
            columns: columns.collect(),
        }
    }

    #[test]
    fn columns_keep_their_names_if_all_sources_agree() {
        let ab = header(&["a", "b"]);
        let same = TableLayout::of([Some(&ab), Some(&ab)]);
        assert!(same.file && same.id.is_none());
        assert!(matches!(same.columns, Columns::Named(names) if names.len() == 2));
        for other in [Some(&header(&["b", "a"])), Some(&header(&["a"])), None] {
            assert_eq!(TableLayout::of([Some(&ab), other]).columns, Columns::Json);
        }
    }
}
