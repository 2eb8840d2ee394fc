//! The vectors of several files as one embedding matrix.
//!
//! Row i is word i. The columns of the files are concatenated in order: with general vectors `[g]`
//! and domain vectors `[d]`, the vector of a word is `[g : d]`, as in the paper. Each file has a
//! name and a range of columns.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::lookup::Wanted;
use super::unknown::{MOMENT_ROWS, Moments};
use super::{Lookup, Match, SourceReport, Unknown, VectorError, VectorRows, VectorSource};

/// How words are looked up, and which vectors words get that a file does not have.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct EmbeddingSettings {
    /// Which rows match a word.
    pub lookup: Lookup,
    /// Vectors of words that a file does not have.
    pub unknown: Unknown,
    /// Seed of these vectors.
    pub seed: u64,
}

/// One vector per word.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    data: Vec<f32>,
    dimensions: usize,
    sources: Vec<SourceReport>,
}

impl Embedding {
    /// Reads the vectors of `words` from all sources. A word that a source does not have gets a
    /// vector drawn from `settings.unknown` in the columns of that source.
    ///
    /// ```
    /// use imn::vectors::{Embedding, EmbeddingSettings, Unknown, VectorSource};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("drinks.txt");
    /// std::fs::write(&path, "tea 0.5 -1\ncup 2 0\n")?;
    ///
    /// let settings = EmbeddingSettings { unknown: Unknown::Zero, ..EmbeddingSettings::default() };
    /// let sources = [VectorSource::from_path(&path)];
    /// let embedding = Embedding::load(&["cup", "fork"], &sources, &settings)?;
    /// assert_eq!(embedding.data(), [2.0, 0.0, 0.0, 0.0]);
    /// assert_eq!(embedding.columns("drinks"), Some(0..2));
    /// assert_eq!(embedding.sources()[0].hits().rate(), 50.0); // percent
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is damaged, or if two sources have the same name.
    pub fn load<W: AsRef<str>>(
        words: &[W],
        sources: &[VectorSource],
        settings: &EmbeddingSettings,
    ) -> Result<Self, VectorError> {
        Self::load_extending(words, sources, settings, |_| None)
    }

    /// Like [`load`](Self::load), but the files can also add words, still in one pass over each
    /// file.
    ///
    /// `extend` is called with the word of every row, in the order of the files. A word that it
    /// returns is appended to `words` and looked up from this row on. Only the rows of wanted words
    /// are kept, so memory grows with the number of words, not with the size of the files.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is damaged, or if two sources have the same name.
    pub(crate) fn load_extending<W: AsRef<str>>(
        words: &[W],
        sources: &[VectorSource],
        settings: &EmbeddingSettings,
        mut extend: impl FnMut(&str) -> Option<String>,
    ) -> Result<Self, VectorError> {
        for (at, source) in sources.iter().enumerate() {
            if sources
                .iter()
                .take(at)
                .any(|other| other.name == source.name)
            {
                return Err(VectorError::SameName {
                    name: source.name.clone(),
                });
            }
        }
        // Open all files first: a wrong path should not surface after minutes of reading.
        let opened: Vec<VectorRows> = sources
            .iter()
            .map(|source| VectorRows::open(&source.path))
            .collect::<Result<_, _>>()?;
        let dimensions = opened.iter().map(VectorRows::dimensions).sum();
        let mut embedding = Self {
            data: vec![0.0; words.len() * dimensions],
            dimensions,
            sources: Vec::with_capacity(sources.len()),
        };
        let mut wanted = Wanted::new(words.iter().map(AsRef::as_ref), settings.lookup);
        let mut moments = Vec::with_capacity(sources.len());
        for (source, rows) in sources.iter().zip(opened) {
            moments.push(embedding.read(source, rows, &mut wanted, settings, &mut extend)?);
        }
        // Last, because a later file may have added words that an earlier one does not have.
        embedding.draw_missing(wanted.words(), &moments, settings);
        embedding.data.shrink_to_fit();
        Ok(embedding)
    }

    /// Reads one file into the columns after those of the previous files. The columns of words that
    /// it does not have stay zero.
    fn read(
        &mut self,
        source: &VectorSource,
        mut rows: VectorRows,
        wanted: &mut Wanted<'_>,
        settings: &EmbeddingSettings,
        extend: &mut impl FnMut(&str) -> Option<String>,
    ) -> Result<Moments, VectorError> {
        let start = self.sources.last().map_or(0, |before| before.columns.end);
        let columns = start..start + rows.dimensions();
        let mut matches = vec![Match::Missing; wanted.words().len()];
        let mut moments = Moments::new(columns.len());
        let mut values = Vec::new();
        let needs_moments = matches!(settings.unknown, Unknown::Matched { .. });
        let mut number = 0;
        while let Some(row) = rows.next_row()? {
            number += 1;
            values.clear();
            if needs_moments && number <= MOMENT_ROWS {
                row.read_into(&mut values)?;
                moments.add(&values);
            }
            if let Some(word) = extend(row.word) {
                wanted.add(Cow::Owned(word));
                matches.push(Match::Missing);
                self.data.resize(matches.len() * self.dimensions, 0.0);
            }
            for (at, found) in wanted.matches(row.word) {
                // Only a strictly better match replaces a row, so the first of equal rows stays.
                if let Some(best) = matches.get_mut(at).filter(|best| found < **best) {
                    if values.is_empty() {
                        row.read_into(&mut values)?;
                    }
                    *best = found;
                    let from = at * self.dimensions;
                    self.data[from + columns.start..from + columns.end].copy_from_slice(&values);
                }
            }
        }
        if rows.rows_read() == 0 {
            return Err(VectorError::Empty {
                path: source.path.clone(),
            });
        }
        self.sources.push(SourceReport {
            source: source.clone(),
            columns,
            rows: rows.rows_read(),
            stated_rows: rows.stated_rows(),
            unreadable_words: rows.unreadable_words(),
            matches,
        });
        Ok(moments)
    }

    /// Draws the vectors that the files do not have, with the moments of each file.
    fn draw_missing(
        &mut self,
        words: &[Cow<'_, str>],
        moments: &[Moments],
        settings: &EmbeddingSettings,
    ) {
        for (report, moments) in self.sources.iter_mut().zip(moments) {
            report.matches.resize(words.len(), Match::Missing);
            if self.dimensions == 0 {
                continue;
            }
            let matrix = self.data.chunks_exact_mut(self.dimensions);
            for ((row, word), _) in matrix
                .zip(words)
                .zip(&report.matches)
                .filter(|(_, found)| **found == Match::Missing)
            {
                let out = &mut row[report.columns.clone()];
                let name = &report.source.name;
                settings
                    .unknown
                    .draw(settings.seed, name, word, moments, out);
            }
        }
    }

    /// Length of a vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The vector of the word at index `at`.
    #[must_use]
    pub fn row(&self, at: usize) -> Option<&[f32]> {
        let from = at.checked_mul(self.dimensions)?;
        self.data.get(from..from.checked_add(self.dimensions)?)
    }

    /// All vectors, in the order of the words.
    #[must_use]
    pub fn data(&self) -> &[f32] {
        &self.data
    }

    /// All vectors, in the order of the words, without a copy.
    #[must_use]
    pub fn into_data(self) -> Vec<f32> {
        self.data
    }

    /// The columns of the source with this name.
    #[must_use]
    pub fn columns(&self, name: &str) -> Option<Range<usize>> {
        let report = self
            .sources
            .iter()
            .find(|report| report.source.name == name)?;
        Some(report.columns.clone())
    }

    /// Report on each source, in order.
    #[must_use]
    pub fn sources(&self) -> &[SourceReport] {
        &self.sources
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    struct Files(tempfile::TempDir);

    impl Files {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn source(&self, name: &str, text: &str) -> VectorSource {
            let path = self.0.path().join(name);
            std::fs::write(&path, text).unwrap();
            VectorSource {
                name: name.to_owned(),
                path,
            }
        }
    }

    #[test]
    fn too_many_stated_dimensions_are_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v.txt");
        for claim in ["1 18446744073709551615", "1 9999999999999", "1 70000"] {
            std::fs::write(&path, format!("{claim}\nsoup 1 2\n")).unwrap();
            let sources = [VectorSource::from_path(&path)];
            let error =
                Embedding::load(&["soup"], &sources, &EmbeddingSettings::default()).unwrap_err();
            assert!(error.to_string().contains("v.txt:1"), "{error}");
        }
    }

    #[test]
    fn columns_of_files_are_concatenated() {
        let files = Files::new();
        let sources = [
            files.source("general", "tea 1 2\ncup 3 4\n"),
            files.source("domain", "1 1\ncup 5\n"),
        ];
        let embedding =
            Embedding::load(&["cup", "tea"], &sources, &EmbeddingSettings::default()).unwrap();
        assert_eq!(embedding.dimensions(), 3);
        assert_eq!(embedding.row(0), Some(&[3.0, 4.0, 5.0][..]));
        assert_eq!(embedding.row(1).unwrap()[..2], [1.0, 2.0]);
        assert_eq!(embedding.row(2), None);
        assert_eq!(embedding.columns("domain"), Some(2..3));
        assert_eq!(embedding.columns("other"), None);
        let hits: Vec<f64> = embedding
            .sources()
            .iter()
            .map(|report| report.hits().rate())
            .collect();
        assert_eq!(hits, [100.0, 50.0]);
    }

    #[test]
    fn exact_then_lower_case_then_any_case() {
        let files = Files::new();
        let text = "PARIS 1\nparis 2\nParis 3\nMILAN 4\nMilan 5\nparis 6\n";
        let source = [files.source("v", text)];
        let words = ["paris", "Paris", "pAris", "milan", "rome"];
        let load = |lookup| {
            let settings = EmbeddingSettings {
                lookup,
                unknown: Unknown::Zero,
                seed: 0,
            };
            Embedding::load(&words, &source, &settings).unwrap()
        };
        let any = load(Lookup::AnyCase);
        assert_eq!(any.data(), [2.0, 3.0, 2.0, 4.0, 0.0]);
        use Match::{Exact, LowerCase, Missing, OtherCase};
        assert_eq!(
            any.sources()[0].matches,
            [Exact, Exact, LowerCase, OtherCase, Missing]
        );
        assert_eq!(load(Lookup::Exact).data(), [2.0, 3.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_drawn_vector_does_not_depend_on_the_vocabulary() {
        let files = Files::new();
        let source = [files.source("v", "a 1 0\nb 0 1\nc 2 2\n")];
        let load = |words: &[&str]| {
            Embedding::load(words, &source, &EmbeddingSettings::default()).unwrap()
        };
        let one = load(&["nowhere"]);
        let other = load(&["a", "c", "elsewhere", "nowhere"]);
        assert_eq!(one.row(0), other.row(3));
        assert_ne!(other.row(2), other.row(3));
        assert!(
            other
                .row(3)
                .unwrap()
                .iter()
                .all(|value| value.is_finite() && *value != 0.0)
        );
    }

    #[test]
    fn duplicate_names_empty_and_missing_files_are_errors() {
        let files = Files::new();
        let source = files.source("v", "a 1 0\n");
        let twice = [source.clone(), source.clone()];
        let error = Embedding::load(&["a"], &twice, &EmbeddingSettings::default()).unwrap_err();
        assert!(error.to_string().contains("named \"v\""), "{error}");
        let header_only = [files.source("empty", "0 5\n")];
        let error =
            Embedding::load(&["a"], &header_only, &EmbeddingSettings::default()).unwrap_err();
        assert!(matches!(error, VectorError::Empty { .. }), "{error}");
        let nowhere = [VectorSource::from_path(Path::new("no/such.vec.gz"))];
        assert_eq!(nowhere[0].name, "such");
        assert!(Embedding::load(&["a"], &nowhere, &EmbeddingSettings::default()).is_err());
    }

    #[test]
    fn files_add_words_that_earlier_files_do_not_have() {
        let files = Files::new();
        let sources = [
            files.source("general", "tea 1 2\nCup 3 4\nfork 9 9\n"),
            files.source("domain", "mug 5\ncup 6\n"),
        ];
        let settings = EmbeddingSettings::default();
        let add = |word: &str| ["Cup", "mug"].contains(&word).then(|| word.to_lowercase());
        let grown = Embedding::load_extending(&["tea"], &sources, &settings, add).unwrap();
        let known = Embedding::load(&["tea", "cup", "mug"], &sources, &settings).unwrap();
        assert_eq!(grown, known);
        assert_eq!(grown.row(1), Some(&[3.0, 4.0, 6.0][..]));
        assert_ne!(grown.row(2).unwrap()[..2], [0.0, 0.0]);
    }

    #[test]
    fn no_words_and_no_sources() {
        let none: [&str; 0] = [];
        let embedding = Embedding::load(&none, &[], &EmbeddingSettings::default()).unwrap();
        assert_eq!((embedding.dimensions(), embedding.data().len()), (0, 0));
    }
}
