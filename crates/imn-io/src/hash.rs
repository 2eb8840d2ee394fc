//! The identity of bytes.

use sha2::{Digest as _, Sha256};

/// The SHA-256 of bytes in hexadecimal: equal for equal bytes, and for no others.
///
/// ```
/// assert!(imn_io::sha256(b"abc").starts_with("ba7816bf8f01cfea"));
/// ```
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
