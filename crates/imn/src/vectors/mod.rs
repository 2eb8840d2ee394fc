//! Pre-trained word vectors: readers, several files side by side, hit rates.
