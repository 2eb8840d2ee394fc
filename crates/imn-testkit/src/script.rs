//! The hash of a script in a content security policy.

use sha2::{Digest as _, Sha256};

/// `sha256-` and the base64 (RFC 4648) of the SHA-256 of a script.
#[must_use]
pub fn script_hash(script: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = "sha256-".to_owned();
    for three in Sha256::digest(script.as_bytes()).chunks(3) {
        let value = three
            .iter()
            .fold(0, |bits, &byte| bits << 8 | usize::from(byte));
        let bits = value << (8 * (3 - three.len()));
        for i in 0..4 {
            let digit = char::from(DIGITS[bits >> (18 - 6 * i) & 63]);
            text.push(if i <= three.len() { digit } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_specification() {
        // The example of Content Security Policy Level 3.
        let hash = script_hash("alert('Hello, world.');");
        assert_eq!(hash, "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
    }
}
