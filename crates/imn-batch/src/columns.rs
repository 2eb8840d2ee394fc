//! The columns that pass through to flat outputs (CSV, Parquet).
//!
//! Tables say in their first row (or schema) what columns they have; if all sources say the same, each passes through as a column. JSONL says
//! so nowhere, and every row may differ: there the others go into one column `columns` of JSON, and nothing is lost.

use arrow_schema::DataType;

/// The columns of one source besides the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The type of the ids, where there are some.
    pub id: Option<DataType>,
    /// Names and types in order.
    pub columns: Vec<(String, DataType)>,
}

impl Header {
    /// Of a source that holds texts and nothing else.
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
    /// One by one.
    Named(Vec<(String, DataType)>),
    /// All of them as JSON in a column `columns`.
    Json,
}

/// The columns of a flat output that depend on the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Whether the source is named: where there are several.
    pub file: bool,
    /// The type of the ids, where there are some.
    pub id: Option<DataType>,
    /// The others.
    pub columns: Columns,
}

impl Layout {
    /// From what each source says of itself; `None` where it says nothing.
    #[must_use]
    pub fn of(headers: &[Option<Header>]) -> Self {
        let file = headers.len() > 1;
        let mut all = headers.iter();
        let first = all.next().cloned().flatten();
        match first {
            Some(header) if all.all(|other| other.as_ref() == Some(&header)) => Self {
                file,
                id: header.id,
                columns: Columns::Named(header.columns),
            },
            _ => Self {
                file,
                id: Some(DataType::Utf8),
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

/// Names made different: the second `a` is `a_2`.
pub(crate) fn distinct(names: Vec<String>) -> Vec<String> {
    let mut taken: std::collections::HashSet<String> = names.iter().cloned().collect();
    let mut seen = std::collections::HashSet::new();
    let mut result = Vec::with_capacity(names.len());
    for name in names {
        if seen.insert(name.clone()) {
            result.push(name);
            continue;
        }
        let other = (2..).map(|i| format!("{name}_{i}"));
        let other = other.into_iter().find(|other| !taken.contains(other));
        let other = other.unwrap_or(name);
        taken.insert(other.clone());
        seen.insert(other.clone());
        result.push(other);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> Option<Header> {
        let columns = names
            .iter()
            .map(|name| ((*name).to_owned(), DataType::Utf8));
        Some(Header {
            id: None,
            columns: columns.collect(),
        })
    }

    #[test]
    fn columns_have_names_where_all_sources_agree() {
        let same = Layout::of(&[header(&["a", "b"]), header(&["a", "b"])]);
        assert!(same.file && same.id.is_none());
        assert!(matches!(same.columns, Columns::Named(names) if names.len() == 2));
        for other in [header(&["b", "a"]), header(&["a"]), None] {
            assert_eq!(
                Layout::of(&[header(&["a", "b"]), other]).columns,
                Columns::Json
            );
        }
    }

    #[test]
    fn names_are_made_different() {
        let names = ["a", "b", "a", "a_2", "a"].map(str::to_owned).to_vec();
        assert_eq!(distinct(names), ["a", "b", "a_3", "a_2", "a_4"]);
    }
}
