//! The words nearest to a word by the cosine of their vectors: a look at what a file has learnt.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::lookup::Wanted;
use super::{Lookup, Match, VectorRows, VectorError};

/// A word and how near it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// The word.
    pub word: String,
    /// Cosine of the two vectors.
    pub cosine: f32,
}

/// The surroundings of a word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nearest {
    /// The row that was taken for the word.
    pub word: String,
    /// The nearest words, nearest first.
    pub neighbours: Vec<Neighbour>,
}

/// Finds the `count` words nearest to `word`; `None` where the file does not have it. Reads the file twice and keeps one row.
///
/// # Errors
/// Where the file cannot be read or is damaged.
pub fn nearest(
    path: &Path,
    word: &str,
    count: usize,
    lookup: Lookup,
) -> Result<Option<Nearest>, VectorError> {
    let Some((centre, vector)) = find(path, word, lookup)? else {
        return Ok(None);
    };
    let mut neighbours: Vec<Neighbour> = Vec::with_capacity(count + 1);
    let mut values = Vec::new();
    let mut rows = VectorRows::open(path)?;
    while let Some(row) = rows.next_row()? {
        if row.word == centre {
            continue;
        }
        row.read_into(&mut values)?;
        let cosine = cosine(&vector, &values);
        let at = neighbours.partition_point(|other| other.cosine >= cosine);
        if at < count {
            neighbours.insert(
                at,
                Neighbour {
                    word: row.word.to_owned(),
                    cosine,
                },
            );
            neighbours.truncate(count);
        }
    }
    Ok(Some(Nearest {
        word: centre,
        neighbours,
    }))
}

/// The row of a word.
fn find(
    path: &Path,
    word: &str,
    lookup: Lookup,
) -> Result<Option<(String, Vec<f32>)>, VectorError> {
    let mut wanted = Wanted::new([word], lookup);
    let mut best = Match::Missing;
    let mut found = None;
    let mut rows = VectorRows::open(path)?;
    while let Some(row) = rows.next_row()? {
        let served = wanted.served_by(row.word).map(|(_, served)| served).next();
        if let Some(served) = served.filter(|served| *served < best) {
            best = served;
            let mut values = Vec::new();
            row.read_into(&mut values)?;
            found = Some((row.word.to_owned(), values));
            if best == Match::Exact {
                break;
            }
        }
    }
    Ok(found)
}

/// 0 where a vector is zero.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 {
        dot(a, b) / lengths
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_first_and_never_itself() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v.txt");
        std::fs::write(
            &path,
            "tea 1 0\ncoffee 2 0.2\nlaptop -1 0\nzero 0 0\nmug 1 1\n",
        )
        .unwrap();
        let near = nearest(&path, "Tea", 3, Lookup::AnyCase).unwrap().unwrap();
        assert_eq!(near.word, "tea");
        let words: Vec<&str> = near
            .neighbours
            .iter()
            .map(|near| near.word.as_str())
            .collect();
        assert_eq!(words, ["coffee", "mug", "zero"]);
        assert_eq!(nearest(&path, "Tea", 3, Lookup::Exact).unwrap(), None);
        assert_eq!(nearest(&path, "absent", 3, Lookup::AnyCase).unwrap(), None);
    }
}
