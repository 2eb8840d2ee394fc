//! The paper's three annotated sets D1, D2 and D3, and the official SemEval files with their raw
//! text.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use imn::data::{Alignment, AnnotatedSentence, DataError, align, read};
use serde::Serialize;

/// One of the paper's sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PaperSet {
    /// D1, restaurants, SemEval 2014.
    Res14,
    /// D2, laptops, SemEval 2014.
    Lap14,
    /// D3, restaurants, SemEval 2015.
    Res15,
}

/// The training or the test part of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SetPart {
    /// The training part.
    Train,
    /// The test part.
    Test,
}

impl SetPart {
    /// Both parts.
    pub const ALL: [Self; 2] = [Self::Train, Self::Test];

    /// `train` or `test`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Test => "test",
        }
    }
}

impl PaperSet {
    /// All sets in the paper's order.
    pub const ALL: [Self; 3] = [Self::Res14, Self::Lap14, Self::Res15];

    /// The name in results and configurations: `res14`, `lap14` or `res15`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Res14 => "res14",
            Self::Lap14 => "lap14",
            Self::Res15 => "res15",
        }
    }

    /// The name in the paper: `D1`, `D2` or `D3`.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Res14 => "D1",
            Self::Lap14 => "D2",
            Self::Res15 => "D3",
        }
    }

    /// Both names: `D1 (res14)`.
    #[must_use]
    pub fn title(self) -> String {
        format!("{} ({})", self.label(), self.name())
    }

    /// The folder of a part in a data folder.
    #[must_use]
    pub fn folder(self, data: &Path, part: SetPart) -> PathBuf {
        data.join("aspect").join(self.name()).join(part.name())
    }

    /// The official files of a part in a data folder. The first is the one that the set was made
    /// from.
    #[must_use]
    pub fn raw_files(self, data: &Path, part: SetPart) -> Vec<PathBuf> {
        let names: &[&str] = match (self, part) {
            (Self::Res14, SetPart::Train) => &["Restaurants_Train.xml", "Restaurants_Train_v2.xml"],
            (Self::Res14, SetPart::Test) => &["Restaurants_Test_Gold.xml"],
            (Self::Lap14, SetPart::Train) => &["Laptops_Train.xml", "Laptops_Train_v2.xml"],
            (Self::Lap14, SetPart::Test) => &["Laptops_Test_Gold.xml"],
            (Self::Res15, SetPart::Train) => &["ABSA-15_Restaurants_Train_Final.xml"],
            (Self::Res15, SetPart::Test) => &["ABSA15_Restaurants_Test.xml"],
        };
        let folder = data.join("semeval_xml");
        let all: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        // Later editions only fill gaps, so they may be missing.
        let first = all.first().cloned();
        all.into_iter()
            .filter(|path| Some(path) == first.as_ref() || path.is_file())
            .collect()
    }

    /// The labelled sentences of a part.
    ///
    /// # Errors
    /// If its files cannot be read.
    pub fn read(self, data: &Path, part: SetPart) -> Result<Vec<AnnotatedSentence>, DataError> {
        read(&self.folder(data, part))
    }

    /// Aligns the labels of a part with its raw text.
    ///
    /// # Errors
    /// If its files or the official ones cannot be read.
    pub fn align(self, data: &Path, part: SetPart) -> Result<Alignment, DataError> {
        let labelled = self.read(data, part)?;
        let mut raw = Vec::new();
        for file in self.raw_files(data, part) {
            raw.extend(read(&file)?);
        }
        Ok(align(&labelled, &raw))
    }
}

impl fmt::Display for PaperSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that none of the paper's sets has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no set {name:?}; the paper's sets are res14, lap14 and res15")]
pub struct UnknownSet {
    /// The unknown name.
    pub name: String,
}

impl FromStr for PaperSet {
    type Err = UnknownSet;

    fn from_str(name: &str) -> Result<Self, UnknownSet> {
        let mut sets = Self::ALL.into_iter();
        sets.find(|set| set.name() == name)
            .ok_or_else(|| UnknownSet {
                name: name.to_owned(),
            })
    }
}
