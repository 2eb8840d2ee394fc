//! The singular of English nouns, from their endings.
//!
//! The regular rules, in this order:
//!
//! | plural | singular | examples |
//! |---|---|---|
//! | four letters | without *s* | *pies*, *toes*, *apps* |
//! | *-ies* | *-y* | *batteries*, *berries* |
//! | *-es* after *ss*, *x*, *zz*, *tz*, *ch*, *sh*, *o* | without *es* | *dishes*, *potatoes* |
//! | *-uses*, but neither *-auses* nor *-ouses* | without *es* | *buses*, *viruses* |
//! | *-s* | without *s* | *prices*, *sizes*, *houses* |
//!
//! Spelling does not tell nouns in *-s* from nouns in *-se* (*lenses*, *senses*), nor plurals from
//! singulars in *-s* (*menus*, *bonus*). Endings decide most of these cases, and the lists below
//! the others. A list has nouns that reviews mention; rare nouns may get the wrong singular.

use std::borrow::Cow;

/// Plurals that no rule covers.
const IRREGULAR: &[(&str, &str)] = &[
    ("analyses", "analysis"),
    ("bookshelves", "bookshelf"),
    ("busses", "bus"),
    ("calves", "calf"),
    ("cds", "cd"),
    ("children", "child"),
    ("crises", "crisis"),
    ("diagnoses", "diagnosis"),
    ("elves", "elf"),
    ("feet", "foot"),
    ("gasses", "gas"),
    ("geese", "goose"),
    ("halves", "half"),
    ("hooves", "hoof"),
    ("knives", "knife"),
    ("leaves", "leaf"),
    ("lives", "life"),
    ("loaves", "loaf"),
    ("men", "man"),
    ("mice", "mouse"),
    ("oases", "oasis"),
    ("pcs", "pc"),
    ("quizzes", "quiz"),
    ("salesmen", "salesman"),
    ("scarves", "scarf"),
    ("shelves", "shelf"),
    ("teeth", "tooth"),
    ("theses", "thesis"),
    ("thieves", "thief"),
    ("tvs", "tv"),
    ("wives", "wife"),
    ("wolves", "wolf"),
    ("women", "woman"),
];

/// Singular words in -s, and nouns without a singular. Those in -ss, -us, -sis, -itis and -polis
/// are recognized by their endings.
const SINGULAR: &[&str] = &[
    "alias",
    "always",
    "atlas",
    "axis",
    "bias",
    "cannabis",
    "canvas",
    "chaos",
    "christmas",
    "clothes",
    "cosmos",
    "debris",
    "gas",
    "ios",
    "iris",
    "lens",
    "macos",
    "mathematics",
    "molasses",
    "news",
    "pants",
    "paris",
    "pelvis",
    "physics",
    "series",
    "species",
    "tapas",
    "tennis",
    "thermos",
    "this",
    "trellis",
    "windows",
];

/// Nouns in -u other than those in -eau and -ieu. Most words in -us are singular.
const U: &[&str] = &[
    "bayou", "bijou", "caribou", "cpu", "emu", "flu", "gnu", "gpu", "guru", "haiku", "menu",
    "ragu", "shiatsu", "submenu", "sudoku", "tiramisu", "tofu", "tutu", "yuzu",
];

/// Nouns in -e whose plural looks like that of a noun without the e, or of a noun in -y.
const E: &[&str] = &[
    // -ie
    "aussie beanie birdie bootie brasserie brownie calorie collie cookie cutie foodie freebie",
    "genie goodie hippie hoodie indie junkie magpie movie necktie newbie patisserie prairie",
    "quickie rookie rotisserie selfie smoothie sortie sweetie veggie zombie",
    // -che
    "ache avalanche backache brioche cache cloche creche ganache headache moustache mustache niche",
    "porsche quiche stomachache toothache tranche",
    // -oe
    "aloe canoe floe horseshoe mistletoe oboe shoe snowshoe tiptoe",
    // -sse, -zze
    "crevasse finesse impasse mezze mousse posse",
    // -use. Those in -ause and -ouse are recognized by their endings.
    "abuse excuse fuse masseuse misuse muse recluse refuse reuse ruse",
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
    // Very short words are abbreviations and the like: `bus`, `gps`.
    let letters = stem.chars().count();
    if letters < 3 || stem.ends_with(['\'', '’']) || is_singular(word, stem) {
        return Cow::Borrowed(word);
    }
    let keeps_e = || {
        E.iter()
            .flat_map(|line| line.split(' '))
            .any(|noun| noun == stem)
    };
    if letters == 3 || keeps_e() {
        return Cow::Borrowed(stem);
    }
    if let Some(y) = stem.strip_suffix("ie") {
        return Cow::Owned(format!("{y}y"));
    }
    match stem.strip_suffix('e') {
        Some(one) if takes_es(one) => Cow::Borrowed(one),
        _ => Cow::Borrowed(stem),
    }
}

/// Whether a word in -s is a singular. `stem` is the word without the s.
fn is_singular(word: &str, stem: &str) -> bool {
    let ends = |endings: &[&str]| endings.iter().any(|end| word.ends_with(end));
    let in_u = || ends(&["eaus", "ieus"]) || U.contains(&stem);
    SINGULAR.contains(&word) || ends(&["ss", "sis", "itis", "polis"]) || ends(&["us"]) && !in_u()
}

/// Whether the plural of a noun has -es instead of -s.
fn takes_es(noun: &str) -> bool {
    let ends = |endings: &[&str]| endings.iter().any(|end| noun.ends_with(end));
    // `houses` and `causes` are plurals of nouns in -e.
    let in_us = || ends(&["us"]) && !ends(&["aus", "ous"]);
    ends(&["ch", "sh", "ss", "x", "zz", "tz", "o"]) || in_us() || SINGULAR.contains(&noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nouns and their plurals.
    const NOUNS: &[&str] = &[
        // -s
        "app apps",
        "key keys",
        "café cafés",
        "staff staffs",
        "photo photos",
        "taco tacos",
        "video videos",
        "epoch epochs",
        // -y
        "battery batteries",
        "company companies",
        "berry berries",
        // -ie
        "cookie cookies",
        "movie movies",
        "pie pies",
        "tie ties",
        "brownie brownies",
        "smoothie smoothies",
        "calorie calories",
        // -es
        "dish dishes",
        "box boxes",
        "lunch lunches",
        "waltz waltzes",
        "glass glasses",
        "bass basses",
        "kiss kisses",
        "dress dresses",
        "potato potatoes",
        "tomato tomatoes",
        "hero heroes",
        // -e
        "price prices",
        "size sizes",
        "olive olives",
        "drive drives",
        "coffee coffees",
        "knee knees",
        "sleeve sleeves",
        "page pages",
        "shoe shoes",
        "toe toes",
        "canoe canoes",
        "axe axes",
        "cache caches",
        "headache headaches",
        "quiche quiches",
        "mousse mousses",
        "mezze mezzes",
        "peach peaches",
        // -se
        "house houses",
        "blouse blouses",
        "cause causes",
        "use uses",
        "course courses",
        "case cases",
        "purpose purposes",
        "nose noses",
        "sense senses",
        "license licenses",
        "cheese cheeses",
        "vase vases",
        "excuse excuses",
        "fuse fuses",
        "noise noises",
        "nurse nurses",
        // -s, -es
        "bus buses",
        "virus viruses",
        "bonus bonuses",
        "status statuses",
        "lens lenses",
        "gas gases",
        "canvas canvases",
        "atlas atlases",
        "bias biases",
        "iris irises",
        "thermos thermoses",
        "bus busses",
        // -u, -i
        "menu menus",
        "tofu tofus",
        "emu emus",
        "gnu gnus",
        "guru gurus",
        "cpu cpus",
        "plateau plateaus",
        "milieu milieus",
        "taxi taxis",
        "martini martinis",
        "ski skis",
        "kiwi kiwis",
        // Irregular.
        "knife knives",
        "leaf leaves",
        "life lives",
        "shelf shelves",
        "woman women",
        "child children",
        "mouse mice",
        "foot feet",
        "quiz quizzes",
        "analysis analyses",
        "tv tvs",
        "cd cds",
    ];

    #[test]
    fn plurals_have_the_singular_of_their_noun() {
        for noun in NOUNS {
            let (one, many) = noun.split_once(' ').unwrap();
            assert_eq!(singular(many), one, "{many}");
            assert_eq!(singular(one), one, "the singular of a singular");
        }
    }

    #[test]
    fn singulars_that_end_like_plurals_are_unchanged() {
        for words in [
            "glass bass boss bus status virus campus delicious hummus basis chassis axis tennis",
            "arthritis metropolis gas atlas canvas bias chaos thermos lens",
            // Without a singular.
            "series species news clothes molasses windows pants",
            "us os gps s ramen olive house 烤鸭",
        ] {
            for word in words.split(' ').chain([""]) {
                assert_eq!(singular(word), word);
            }
        }
    }
}
