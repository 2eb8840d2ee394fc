//! From raw text to tokens: tokenizer, sentence splitting, offsets, normalisation, vocabulary.
