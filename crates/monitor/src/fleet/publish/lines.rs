//! Publishing of lines that were appended to logs.

use super::stored::publish_next;
use super::{HomePublisher, PublishFault};
use crate::fleet::batch::MAX_BATCH_BYTES;

/// What one look at the ends of the logs published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PublishedLines {
    Nothing,
    /// Nearly all that there was at the look.
    All,
    /// There is much more.
    Part,
    /// A file was truncated or rewritten: it is another log.
    Replaced,
}

impl HomePublisher<'_> {
    /// One batch of each log that has new lines. One that begins like a longer log waits for it: of a copy that has more
    /// lines than its original a mirror would show them as its own.
    pub(super) async fn publish_lines(&mut self) -> Result<PublishedLines, PublishFault> {
        let mut published = PublishedLines::Nothing;
        let paths: Vec<String> = self.logs.keys().cloned().collect();
        for path in paths {
            if self.logs.get(&path).is_some_and(|log| self.logs.values().any(|other| other.goes_before(log))) {
                published = published.max(PublishedLines::All);
                continue;
            }
            let Some(log) = self.logs.get_mut(&path) else { continue };
            let Some(length) = log.length().ok().filter(|length| *length != log.source_at) else { continue };
            if !log.is_same().unwrap_or(false) {
                self.logs.remove(&path);
                return Ok(PublishedLines::Replaced);
            }
            let next = log.next(&path, &self.publisher, self.settings.text).map_err(anyhow::Error::from)?;
            let Some(next) = next else { continue };
            let subject = self.subjects.log(&log.generation);
            let payload = next.batch.payload(&mut self.compressor).map_err(anyhow::Error::from)?;
            let message = (next.batch.place.headers(), payload);
            let sequence = publish_next(&self.context, &self.log_stream, &subject, message, log.sequence).await?;
            log.stored(next, sequence);
            let is_much_left = length.saturating_sub(log.source_at) > (MAX_BATCH_BYTES / 2) as u64;
            published = published.max(if is_much_left { PublishedLines::Part } else { PublishedLines::All });
        }
        Ok(published)
    }
}
