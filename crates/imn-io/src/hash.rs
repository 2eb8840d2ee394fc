//! SHA-256, as the identity of a file's content.

use sha2::{Digest as _, Sha256};

/// The SHA-256 of bytes, in hexadecimal.
///
/// ```
/// assert!(imn_io::sha256(b"abc").starts_with("ba7816bf8f01cfea"));
/// ```
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
