//! The characteristic part of each compared system against its formula computed by hand, and
//! shapes.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod by_hand;
mod fixture;
mod shapes;

use by_hand::{ByHand, Row, add, dot, sigmoid, softmax, tanh, weighted};
use fixture::{network, sentences, vocabulary};
use imn::model::{Network as _, SentenceBatch};
use imn_nn::Tape;
use imn_repro::systems::{
    Alstm, AlstmConfig, Cmla, CmlaConfig, DTrans, DTransConfig, GuidedWhen, Inabsa, InabsaConfig,
    Mnn, MnnConfig,
};

fn close(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let difference = (f64::from(*found) - expected).abs();
        assert!(difference < 1e-5, "{found} against {expected}");
    }
}

/// v_a, t: the mean of vectors.
fn mean(rows: &[Row]) -> Row {
    weighted(&vec![1.0 / rows.len() as f64; rows.len()], rows)
}

#[test]
fn alstm_attends_with_the_aspect_beside_every_word() {
    let config = AlstmConfig {
        hidden: 3,
        ..AlstmConfig::default()
    };
    let (alstm, params) = network(|builder, setting| Alstm::new(builder, &config, setting));
    let sentences = sentences();
    let shard = SentenceBatch::to_predict(sentences.iter().collect());
    let mut tape = Tape::infer(&params);
    let (logits, attention) = alstm.forward(&mut tape, &shard);
    let hand = ByHand(&params);
    let (mut all_weights, mut all_logits) = (Vec::new(), Vec::new());
    let words = sentences[1].features.ids();
    for aspect in &sentences[1].aspects {
        let v = mean(&hand.embedded(&words[aspect.start..aspect.end]));
        let from_aspect = hand.linear(&v, "lstm.aspect");
        let gates: Vec<Row> = hand
            .embedded(words)
            .iter()
            .map(|x| add(&hand.linear(x, "lstm.input"), &from_aspect))
            .collect();
        let h = hand.lstm(&gates, "lstm.recurrent");
        let aspect_key = tanh(&hand.linear(&v, "attention.aspect"));
        let scores: Row = h
            .iter()
            .zip(&sentences[1].opinion)
            .map(|(h, opinion)| {
                let key = tanh(&hand.linear(h, "attention.words"));
                let score = hand.linear(&key, "attention.word_score")[0]
                    + hand.linear(&aspect_key, "attention.aspect_score")[0];
                score * f64::from(*opinion)
            })
            .collect();
        let weights = softmax(&scores);
        let r = weighted(&weights, &h);
        let last = hand.linear(&h[h.len() - 1], "output.last");
        let both = tanh(&add(&hand.linear(&r, "output.context"), &last));
        all_logits.extend(hand.linear(&both, "decoder"));
        all_weights.extend(weights);
    }
    close(&tape.token_values(attention), &all_weights);
    close(tape.value(logits), &all_logits);
}

#[test]
fn dtrans_attends_by_the_product_with_the_aspect() {
    let config = DTransConfig {
        hidden: 3,
        ..DTransConfig::default()
    };
    let (dtrans, params) = network(|builder, setting| DTrans::new(builder, &config, setting));
    let sentences = sentences();
    let shard = SentenceBatch::to_predict(sentences.iter().collect());
    let mut tape = Tape::infer(&params);
    let (logits, attention) = dtrans.forward(&mut tape, &shard);
    let hand = ByHand(&params);
    let words = sentences[1].features.ids();
    let x = hand.embedded(words);
    let gates: Vec<Row> = x.iter().map(|x| hand.linear(x, "lstm.input")).collect();
    let h = hand.lstm(&gates, "lstm.recurrent");
    let (mut all_weights, mut all_logits) = (Vec::new(), Vec::new());
    for aspect in &sentences[1].aspects {
        let t = mean(&hand.embedded(&words[aspect.start..aspect.end]));
        let query = hand.linear(&t, "query");
        let scores = h.iter().zip(&sentences[1].opinion);
        let scores: Row = scores
            .map(|(h, opinion)| dot(h, &query).tanh() * f64::from(*opinion))
            .collect();
        let weights = softmax(&scores);
        all_logits.extend(hand.linear(&weighted(&weights, &h), "aspect"));
        all_weights.extend(weights);
    }
    close(&tape.token_values(attention), &all_weights);
    close(tape.value(logits), &all_logits);
}

#[test]
fn dtrans_begins_the_aspects_decoder_with_the_documents() {
    let config = DTransConfig {
        hidden: 3,
        ..DTransConfig::default()
    };
    let (dtrans, mut params) = network(|builder, setting| DTrans::new(builder, &config, setting));
    dtrans.after_pretraining(&mut params);
    let hand = ByHand(&params);
    assert_eq!(hand.rows("aspect.kernel"), hand.rows("document.kernel"));
    assert_eq!(hand.rows("aspect.bias"), hand.rows("document.bias"));
}

#[test]
fn cmla_couples_the_attentions_of_aspects_and_opinions() {
    let config = CmlaConfig {
        hidden: 4,
        slices: 2,
        ..CmlaConfig::default()
    };
    let (cmla, params) = network(|builder, setting| Cmla::new(builder, &config, setting));
    let sentences = sentences();
    let shard = SentenceBatch::to_predict(vec![&sentences[1]]);
    let mut tape = Tape::infer(&params);
    let coupled = cmla.forward(&mut tape, &shard);
    let hand = ByHand(&params);
    let h = hand.gru(&hand.embedded(sentences[1].features.ids()), "gru");
    let sides = ["aspects", "opinions"];
    // tanh(hᵀ T_k u) for every slice k: columns k d … (k + 1) d of the kernel are T_k.
    let tensor = |h: &Row, name: String, u: &Row| -> Row {
        let products = hand.linear(h, &name);
        products
            .chunks(4)
            .map(|slice| dot(slice, u).tanh())
            .collect()
    };
    let mut u = sides.map(|side| hand.rows(&format!("{side}.prototype")).concat());
    let mut sums: [Vec<Row>; 2] = [Vec::new(), Vec::new()];
    let mut attention: [Row; 2] = [Vec::new(), Vec::new()];
    for _ in 0..2 {
        let before = u.clone();
        for (m, side) in sides.into_iter().enumerate() {
            let f: Vec<Row> = h
                .iter()
                .map(|h| {
                    let own = tensor(h, format!("{side}.own"), &before[m]);
                    let other = tensor(h, format!("{side}.other"), &before[1 - m]);
                    [own, other].concat()
                })
                .collect();
            let r = hand.gru(&f, &format!("{side}.gru"));
            let scores: Row = r
                .iter()
                .map(|r| hand.linear(r, &format!("{side}.score"))[0])
                .collect();
            attention[m] = softmax(&scores);
            let o = weighted(&attention[m], &h);
            u[m] = add(&tanh(&hand.linear(&before[m], &format!("{side}.next"))), &o);
            sums[m] = match sums[m].as_slice() {
                [] => r,
                sum => sum.iter().zip(&r).map(|(a, b)| add(a, b)).collect(),
            };
        }
    }
    for (m, side) in sides.into_iter().enumerate() {
        close(&tape.token_values(coupled.attention[m]), &attention[m]);
        let logits: Vec<Row> = sums[m]
            .iter()
            .map(|sum| hand.linear(sum, &format!("{side}.decoder")))
            .collect();
        close(&tape.token_values(coupled.logits[m]), &logits.concat());
    }
}

#[test]
fn inabsa_is_guided_by_boundaries_and_keeps_sentiments_consistent() {
    check_inabsa(GuidedWhen::Confident, 1);
}

#[test]
fn inabsa_of_the_program_is_guided_where_boundaries_are_unsure_and_reads_neighbours() {
    check_inabsa(GuidedWhen::Unsure, 3);
}

fn check_inabsa(guided_when: GuidedWhen, window: usize) {
    let config = InabsaConfig {
        hidden: 2,
        guided_when,
        window,
        ..InabsaConfig::default()
    };
    let (inabsa, params) = network(|builder, setting| Inabsa::new(builder, &config, setting));
    let sentences = sentences();
    let shard = SentenceBatch::to_predict(vec![&sentences[1]]);
    let mut tape = Tape::infer(&params);
    let guided = inabsa.forward(&mut tape, &shard);
    let hand = ByHand(&params);
    let words = hand.embedded(sentences[1].features.ids());
    let nothing = vec![0.0; words[0].len()];
    let at = |i: usize| {
        i.checked_sub(1)
            .and_then(|i| words.get(i))
            .unwrap_or(&nothing)
    };
    let windows: Vec<Row> = match window {
        1 => words.clone(),
        _ => (1..=words.len())
            .map(|i| [at(i - 1), at(i), at(i + 1)].map(Row::as_slice).concat())
            .collect(),
    };
    let lower = hand.bilstm(&windows, "lower");
    let upper = hand.bilstm(&lower, "upper");
    let mut state = vec![0.0; 4];
    let mut unified: Vec<Row> = Vec::new();
    let mut own: Vec<Row> = Vec::new();
    for (lower, upper) in lower.iter().zip(&upper) {
        let boundary = softmax(&hand.linear(lower, "boundary"));
        let gate: Row = hand
            .linear(upper, "gate")
            .into_iter()
            .map(sigmoid)
            .collect();
        for k in 0..4 {
            state[k] = gate[k] * upper[k] + (1.0 - gate[k]) * state[k];
        }
        let sentiment = softmax(&hand.linear(&state, "unified"));
        // B, I, E and S distribute their probability over the three sentiments; BP, IP and O keep
        // theirs.
        let mut from_boundaries: Row = Vec::new();
        boundary[..4]
            .iter()
            .for_each(|p| from_boundaries.extend([p / 3.0; 3]));
        from_boundaries.extend(&boundary[4..]);
        let confidence = dot(&boundary, &boundary);
        let share = match guided_when {
            GuidedWhen::Confident => 0.5 * confidence,
            GuidedWhen::Unsure => 0.5 * (1.0 - confidence),
        };
        let mixed = from_boundaries.iter().zip(&sentiment);
        unified.push(mixed.map(|(a, b)| share * a + (1.0 - share) * b).collect());
        own.push(sentiment);
    }
    close(&tape.token_values(guided.sentiments), &own.concat());
    close(&tape.token_values(guided.unified), &unified.concat());
    assert!((unified[0].iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn mnn_spells_words_and_attends_over_the_sentence() {
    let config = MnnConfig {
        hidden: 2,
        characters: 3,
        character_filters: 2,
        ..MnnConfig::default()
    };
    let (mnn, params) = network(|builder, setting| Mnn::new(builder, &config, setting));
    let sentences = sentences();
    let shard = SentenceBatch::to_predict(vec![&sentences[1]]);
    let mut tape = Tape::infer(&params);
    let tagged = mnn.forward(&mut tape, &shard);
    let hand = ByHand(&params);
    let (table, kernel) = (hand.rows("characters.table"), hand.rows("cnn.kernel"));
    let bias = hand.rows("cnn.bias").concat();
    let vocabulary = vocabulary();
    let spelled = |word: u32| -> Row {
        let word = vocabulary.word(word).unwrap();
        let letters: Vec<&Row> = word
            .bytes()
            .map(|c| &table[usize::from(c - b' ' + 1)])
            .collect();
        let at = |i: usize| -> Row {
            let mut sum = bias.clone();
            for tap in 0..3 {
                if let Some(letter) = (i + tap).checked_sub(1).and_then(|i| letters.get(i)) {
                    sum = add(&sum, &weighted(letter, &kernel[tap * 3..(tap + 1) * 3]));
                }
            }
            sum.into_iter().map(|x| x.max(0.0)).collect()
        };
        let all: Vec<Row> = (0..letters.len()).map(at).collect();
        let columns = 0..2;
        columns
            .map(|k| all.iter().map(|row| row[k]).fold(f64::MIN, f64::max))
            .collect()
    };
    let words = sentences[1].features.ids();
    let x = hand.embedded(words).into_iter().zip(words);
    let x: Vec<Row> = x.map(|(x, &word)| [x, spelled(word)].concat()).collect();
    let h = hand.bilstm(&x, "lstm");
    let unified: Vec<Row> = h
        .iter()
        .map(|own| {
            let query = hand.linear(own, "relevance");
            let scores: Row = h.iter().map(|other| dot(&query, other)).collect();
            let context = weighted(&softmax(&scores), &h);
            hand.linear(&[own.clone(), context].concat(), "unified")
        })
        .collect();
    close(&tape.token_values(tagged.unified), &unified.concat());
}
