//! The columns that pass through to flat outputs (CSV, Parquet).
//!
//! Tables name their columns in the first row or in a schema. If all sources have the same columns,
//! each passes through as a column. JSONL names none, and every row may differ: there the columns go
//! into one column `columns` of JSON, so that nothing is lost.

/// The type of a column that passes through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnType {
    /// Text. Values that are no text are kept as their JSON.
    Text,
    /// A plain type of a Parquet input.
    #[cfg(feature = "parquet")]
    Arrow(arrow_schema::DataType),
}

/// The columns of one source besides the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableHeader {
    /// The type of the ids, if there are any.
    pub id: Option<ColumnType>,
    /// Names and types in order.
    pub columns: Vec<(String, ColumnType)>,
}

impl TableHeader {
    /// The header of a source that holds texts and nothing else.
    #[must_use]
    pub fn texts_only() -> Self {
        Self {
            id: None,
            columns: Vec::new(),
        }
    }
}

/// How columns pass through to a flat output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Columns {
    /// Each as a column.
    Named(Vec<(String, ColumnType)>),
    /// All as JSON in a column `columns`.
    Json,
}

/// The columns of a flat output that depend on the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableLayout {
    /// Whether there is a column with the name of the source: if there are several.
    pub file: bool,
    /// The type of the ids, if there are any.
    pub id: Option<ColumnType>,
    /// The others.
    pub columns: Columns,
}

impl TableLayout {
    /// From the headers of all sources; `None` for a source that has no header.
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

    /// The name that a passed-through column has beside the columns that are ours.
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
    fn columns_have_names_where_all_sources_agree() {
        let ab = header(&["a", "b"]);
        let same = TableLayout::of([Some(&ab), Some(&ab)]);
        assert!(same.file && same.id.is_none());
        assert!(matches!(same.columns, Columns::Named(names) if names.len() == 2));
        for other in [Some(&header(&["b", "a"])), Some(&header(&["a"])), None] {
            assert_eq!(TableLayout::of([Some(&ab), other]).columns, Columns::Json);
        }
    }
}
