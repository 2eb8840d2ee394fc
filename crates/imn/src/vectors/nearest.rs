//! Nearest neighbours of a word by the cosine of their vectors.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::lookup::Wanted;
use super::{Lookup, Match, VectorError, VectorRows};

/// A neighbour of a word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// The neighbouring word.
    pub word: String,
    /// Cosine of the two vectors.
    pub cosine: f32,
}

/// A word and its nearest neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nearest {
    /// The word as the file has it.
    pub word: String,
    /// The neighbours, nearest first.
    pub neighbours: Vec<Neighbour>,
}

/// Finds the `count` words nearest to `word`; `None` if the file does not have the word. Reads the
/// file twice and holds one row in memory.
///
/// ```
/// use imn::vectors::{Lookup, nearest};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("v.txt");
/// std::fs::write(&path, "tea 1 0\nlaptop -1 0\ncoffee 2 0.2\n")?;
/// let found = nearest(&path, "tea", 1, Lookup::Exact)?.unwrap();
/// assert_eq!(found.neighbours[0].word, "coffee");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the file cannot be read or is damaged.
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

/// The best matching row of a word.
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
        let kind = wanted.matches(row.word).map(|(_, kind)| kind).next();
        if let Some(better) = kind.filter(|kind| *kind < best) {
            best = better;
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

/// Cosine of two vectors; 0 if one of them is zero.
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
