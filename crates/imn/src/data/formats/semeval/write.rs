//! Writes both dialects.

use std::io::Write;

use quick_xml::escape::{escape, minimal_escape};

use crate::data::{AnnotatedSentence, Mark, Polarity};
use crate::text::{OffsetIndex, OffsetUnit};

/// Writes the XML of 2014.
pub fn write14(sentences: &[AnnotatedSentence], out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{DECLARATION}\n<sentences>")?;
    for sentence in sentences {
        open_sentence(sentence, "    ", out)?;
        if !sentence.aspects.is_empty() {
            writeln!(out, "        <aspectTerms>")?;
            for (i, aspect) in sentence.aspects.iter().enumerate() {
                write!(out, "            <aspectTerm")?;
                write_target(sentence, i, "term", aspect.polarity, None, out)?;
            }
            writeln!(out, "        </aspectTerms>")?;
        }
        if !sentence.extra.categories.is_empty() {
            writeln!(out, "        <aspectCategories>")?;
            for category in &sentence.extra.categories {
                write!(out, "            <aspectCategory")?;
                write_attribute("category", &category.category, out)?;
                if let Some(polarity) = category.polarity {
                    write_attribute("polarity", polarity.name(), out)?;
                }
                writeln!(out, "/>")?;
            }
            writeln!(out, "        </aspectCategories>")?;
        }
        writeln!(out, "    </sentence>")?;
    }
    writeln!(out, "</sentences>")
}

/// Writes the XML of 2015 and 2016. Consecutive sentences of one review share an element.
pub fn write15(sentences: &[AnnotatedSentence], out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{DECLARATION}\n<Reviews>")?;
    let same_review =
        |a: &AnnotatedSentence, b: &AnnotatedSentence| a.extra.review == b.extra.review;
    for review in sentences.chunk_by(same_review) {
        write!(out, "    <Review")?;
        if let Some(rid) = review.first().and_then(|s| s.extra.review.as_ref()) {
            write_attribute("rid", rid, out)?;
        }
        writeln!(out, ">\n        <sentences>")?;
        for sentence in review {
            write_opinions(sentence, out)?;
        }
        writeln!(out, "        </sentences>\n    </Review>")?;
    }
    writeln!(out, "</Reviews>")
}

fn write_opinions(sentence: &AnnotatedSentence, out: &mut dyn Write) -> std::io::Result<()> {
    open_sentence(sentence, "            ", out)?;
    let categories = &sentence.extra.categories;
    let bare: Vec<usize> = (0..sentence.aspects.len())
        .filter(|i| !categories.iter().any(|c| c.aspect == Some(*i)))
        .collect();
    if !categories.is_empty() || !bare.is_empty() {
        writeln!(out, "                <Opinions>")?;
        for category in categories {
            write!(out, "                    <Opinion")?;
            match category.aspect {
                Some(i) => write_target(
                    sentence,
                    i,
                    "target",
                    category.polarity,
                    Some(&category.category),
                    out,
                )?,
                None => {
                    write_attribute("target", "NULL", out)?;
                    write_attribute("category", &category.category, out)?;
                    if let Some(polarity) = category.polarity {
                        write_attribute("polarity", polarity.name(), out)?;
                    }
                    writeln!(out, " from=\"0\" to=\"0\"/>")?;
                }
            }
        }
        for i in bare {
            let polarity = sentence.aspects.get(i).and_then(|a| a.polarity);
            write!(out, "                    <Opinion")?;
            write_target(sentence, i, "target", polarity, None, out)?;
        }
        writeln!(out, "                </Opinions>")?;
    }
    writeln!(out, "            </sentence>")
}

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>";

fn open_sentence(
    sentence: &AnnotatedSentence,
    indent: &str,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    write!(out, "{indent}<sentence")?;
    if let Some(id) = &sentence.id {
        write_attribute("id", id, out)?;
    }
    if sentence.extra.out_of_scope {
        write_attribute("OutOfScope", "TRUE", out)?;
    }
    // A carriage return would be read back as a line feed.
    let text = minimal_escape(sentence.text.as_str()).replace('\r', "&#13;");
    writeln!(out, ">\n{indent}    <text>{text}</text>")
}

/// Writes the attributes of an annotation with offsets, and the end of its element.
fn write_target(
    sentence: &AnnotatedSentence,
    aspect: usize,
    name: &str,
    polarity: Option<Polarity>,
    category: Option<&str>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let bytes = sentence.mark_bytes(Mark::Aspect(aspect));
    let index = OffsetIndex::new(&sentence.text);
    let chars = index
        .span_from_bytes(bytes, OffsetUnit::Chars)
        .unwrap_or(bytes);
    write_attribute(name, bytes.of(&sentence.text).unwrap_or(""), out)?;
    if let Some(category) = category {
        write_attribute("category", category, out)?;
    }
    if let Some(polarity) = polarity {
        write_attribute("polarity", polarity.name(), out)?;
    }
    writeln!(out, " from=\"{}\" to=\"{}\"/>", chars.start, chars.end)
}

/// Writes an attribute. White space other than a space is written as a reference; it would be read
/// back as a space otherwise.
fn write_attribute(name: &str, value: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let value = escape(value)
        .replace('\n', "&#10;")
        .replace('\r', "&#13;")
        .replace('\t', "&#9;");
    write!(out, " {name}=\"{value}\"")
}
