//! Lazy chunk with the English words of the first load. A build without the feature `split` has them from the start.

use super::en;
use super::messages::Messages;
use crate::lazy_chunks::lazy_chunk;

#[cfg(feature = "split")]
static LOADED: std::sync::OnceLock<&'static Messages> = std::sync::OnceLock::new();

lazy_chunk!(
    english,
    load_chunk,
    fn words() -> &'static Messages {
        &en::MESSAGES
    }
);

/// The words, once they are loaded.
#[cfg(feature = "split")]
pub(super) fn loaded() -> Option<&'static Messages> {
    LOADED.get().copied()
}

/// The words.
#[cfg(not(feature = "split"))]
pub(super) fn loaded() -> Option<&'static Messages> {
    Some(&en::MESSAGES)
}

/// Loads the words; false when they could not be had.
pub(super) async fn load() -> bool {
    let loaded = words().await;
    #[cfg(feature = "split")]
    if let Ok(words) = loaded {
        LOADED.get_or_init(|| words);
    }
    loaded.is_ok()
}
