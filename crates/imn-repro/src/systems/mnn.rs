//! MNN (Wang, Lan and Wang 2018): one network that predicts a unified tag for every word.
//!
//! A bidirectional LSTM h reads [word vector : character CNN]. Two taggers share it: boundaries
//! from h, and sentiments from [h : h'], where h' is self-attention over the sentence (h_i W h_j,
//! softmax over j). The prediction is a softmax over unified tags on [h : h']; the two taggers are
//! auxiliary losses.
//!
//! Characters are those of the vocabulary's words, which are in lower case. All unknown words have
//! the spelling of the unknown-word entry.
//!
//! Neither the original paper nor its program was available. This implementation follows
//! descriptions of it in other papers, as that of IMN's authors did.

use std::collections::HashMap;
use std::sync::Arc;

use imn::data::{AeTag, Sentiment};
use imn::model::{Network, Prediction, Role, SentenceBatch, TagSet};
use imn::text::Vocabulary;
use imn_nn::layers::{ConvRelu, Embedding, Linear};
use imn_nn::{Builder, Init, Layout, Rows, Tape, Var};
use serde::{Deserialize, Serialize};

use super::check::{self, Problem};
use super::parts::{BiLstm, Words, decode};
use super::unified::{Boundaries, UnifiedTags};
use super::{NetworkSettings, Setting};

/// The number of character vectors: one per printable ASCII character, and vector 0 for all others.
const CHARACTERS: usize = 96;
/// The class of words outside aspects. The classes before it are the sentiments.
const OUTSIDE: usize = Sentiment::CLASSES.len();
/// The maximum number of characters of a word.
const LONGEST_WORD: usize = 20;

/// Sizes of MNN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MnnConfig {
    /// State size of the LSTM, per direction.
    pub hidden: usize,
    /// Dimensions of a character vector.
    pub characters: usize,
    /// Filters of the character CNN, of width 3.
    pub character_filters: usize,
    /// Dropout after the embedding and before the decoders.
    pub dropout: f64,
}

impl Default for MnnConfig {
    fn default() -> Self {
        Self {
            hidden: 100,
            characters: 30,
            character_filters: 30,
            dropout: 0.5,
        }
    }
}

/// The network.
#[derive(Debug, Clone)]
pub struct Mnn {
    words: Words,
    /// The characters of every word of the vocabulary.
    spelling: Vec<Box<[u8]>>,
    characters: Embedding,
    character_cnn: ConvRelu,
    lstm: BiLstm,
    relevance: Linear,
    boundary: Linear,
    sentiment: Linear,
    unified: Linear,
    tags: UnifiedTags,
    dropout: f64,
}

/// The output of the network, one row per word.
#[derive(Debug, Clone, Copy)]
pub struct Tagged {
    /// Logits of the boundary tagger.
    pub boundary: Var,
    /// Logits of the sentiment tagger: the three sentiments and O.
    pub sentiment: Var,
    /// Logits of the unified tags.
    pub unified: Var,
}

/// The indexes of a word's characters.
fn spell(word: &str) -> Box<[u8]> {
    let number = |c: char| match u8::try_from(c) {
        Ok(byte @ b' '..=b'~') => byte - b' ' + 1,
        _ => 0,
    };
    word.chars().take(LONGEST_WORD).map(number).collect()
}

impl Mnn {
    /// A network with new weights.
    #[must_use]
    pub fn new(builder: &mut Builder<'_, f32>, config: &MnnConfig, setting: Setting<'_>) -> Self {
        let Setting {
            vocabulary,
            vectors,
            tag_set,
        } = setting;
        let words = Words::new(builder, vectors);
        let tags = UnifiedTags {
            boundaries: Boundaries::BeginInside,
            tag_set,
        };
        let (c, f, h) = (
            config.characters,
            config.character_filters,
            2 * config.hidden,
        );
        let unit = Init::Uniform {
            limit: (3.0 / c as f64).sqrt(),
        };
        Self {
            spelling: spellings(vocabulary),
            characters: Embedding::new(&mut builder.scope("characters"), CHARACTERS, c, unit),
            character_cnn: ConvRelu::new(&mut builder.scope("cnn"), 3, c, f, Init::GlorotUniform),
            lstm: BiLstm::new(
                &mut builder.scope("lstm"),
                words.dimensions + f,
                config.hidden,
            ),
            relevance: Linear::without_bias(&mut builder.scope("relevance"), h, h),
            boundary: Linear::new(&mut builder.scope("boundary"), h, tags.boundary_classes()),
            sentiment: Linear::new(&mut builder.scope("sentiment"), 2 * h, OUTSIDE + 1),
            unified: Linear::new(&mut builder.scope("unified"), 2 * h, tags.unified_classes()),
            words,
            tags,
            dropout: config.dropout,
        }
    }

    /// The character CNN with max-pooling over each word, one row per word. A repeated word is
    /// computed once.
    fn spelled(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        let mut places: HashMap<u32, u32> = HashMap::new();
        let (mut characters, mut lengths, mut index) = (Vec::new(), Vec::new(), Vec::new());
        for &word in &batch.input.ids {
            let next = places.len() as u32;
            let place = *places.entry(word).or_insert_with(|| {
                let spelling = self.spelling.get(word as usize).map_or(&[][..], |s| s);
                characters.extend(spelling.iter().map(|&c| u32::from(c)));
                lengths.push(spelling.len());
                next
            });
            index.push(Some(place));
        }
        let layout = Arc::new(Layout::new(lengths, 2));
        let x = self.characters.forward(tape, &characters, &layout);
        let x = self.character_cnn.forward(tape, x);
        let x = tape.max_rows(x);
        tape.take_rows(x, &index, Rows::Tokens(Arc::clone(&batch.input.layout)))
    }

    /// Runs the network.
    pub fn forward(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Tagged {
        let words = self.words.forward(tape, &batch.input);
        let spelled = self.spelled(tape, batch);
        let x = tape.concat(&[words, spelled]);
        let x = tape.dropout(x, self.dropout);
        let h = self.lstm.forward(tape, x);
        let q = self.relevance.forward(tape, h);
        let scores = tape.pair_scores(q, h);
        let attention = tape.pair_softmax(scores, true);
        let context = tape.pair_apply(attention, h);
        let both = tape.concat(&[h, context]);
        Tagged {
            boundary: decode(tape, &self.boundary, h, self.dropout),
            sentiment: decode(tape, &self.sentiment, both, self.dropout),
            unified: decode(tape, &self.unified, both, self.dropout),
        }
    }
}

fn spellings(vocabulary: &Vocabulary) -> Vec<Box<[u8]>> {
    vocabulary.words().iter().map(|word| spell(word)).collect()
}

impl NetworkSettings for MnnConfig {
    fn build(&self, builder: &mut Builder<'_, f32>, setting: Setting<'_>) -> Box<dyn Network> {
        Box::new(Mnn::new(builder, self, setting))
    }

    fn problem(&self) -> Option<Problem> {
        check::hidden(self.hidden)
            .or_else(|| check::size("network.characters", self.characters, 256))
            .or_else(|| check::size("network.character_filters", self.character_filters, 256))
            .or_else(|| check::dropout(self.dropout))
    }
}

impl Network for Mnn {
    fn role(&self) -> Role {
        Role::Integrated
    }

    fn tag_set(&self) -> TagSet {
        self.tags.tag_set
    }

    fn loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        let tagged = self.forward(tape, batch);
        let unified = batch.of_words(|sentence| self.tags.unified(sentence));
        let boundaries = batch.of_words(|sentence| {
            let classes = self.tags.boundaries(sentence).into_iter();
            classes.map(|class| Some(class as u32)).collect()
        });
        // Words outside aspects are O. Words of a *conflict* aspect have no class and no loss.
        let sentiments = batch.of_words(|sentence| {
            let words = sentence.tags().iter().zip(sentence.polarities());
            words
                .map(|(tag, polarity)| match tag {
                    AeTag::BA | AeTag::IA => *polarity,
                    AeTag::BP | AeTag::IP | AeTag::O => Some(OUTSIDE as u32),
                })
                .collect()
        });
        let loss = tape.token_cross_entropy(tagged.unified, &unified, batch.mean);
        let boundary_loss = tape.token_cross_entropy(tagged.boundary, &boundaries, batch.mean);
        let sentiment_loss = tape.token_cross_entropy(tagged.sentiment, &sentiments, batch.mean);
        let auxiliary = tape.add(boundary_loss, sentiment_loss);
        tape.add(loss, auxiliary)
    }

    fn predict(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Vec<Prediction> {
        let unified = self.forward(tape, batch).unified;
        self.tags.predictions(tape, unified)
    }
}
