//! Type `LogBatch`: a piece of a log on its way through a stream. Its place in the log is in headers. Its bytes are the
//! payload, packed with zstd. A reader takes a batch only where the log it holds ends, so a repeated one is dropped and a
//! missing one is seen.

use async_nats::HeaderMap;
use zstd::bulk::Compressor;

use super::log_digest::LogDigest;

/// Link of the chain before the first batch of a log.
pub(super) const FIRST_LINK: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Most bytes of a batch before it is packed.
pub(super) const MAX_BATCH_BYTES: usize = 256 * 1024;
/// A batch does not unpack to more, whatever it says.
const MAX_UNPACKED_BYTES: usize = 2 * MAX_BATCH_BYTES;
/// Level of zstd: the fastest of the usual ones.
const LEVEL: i32 = 1;

const PATH: &str = "Th-Path";
const FROM: &str = "Th-From";
const TO: &str = "Th-To";
const SOURCE_TO: &str = "Th-Source-To";
const BEFORE: &str = "Th-Before";
const AFTER: &str = "Th-After";
const CONTENT: &str = "Th-Content";
/// Header with the name of the publishing process.
pub(super) const PUBLISHER: &str = "Th-Publisher";

/// A piece of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogBatch {
    pub(super) place: BatchPlace,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
}

/// Where a piece belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BatchPlace {
    /// Path of the log in its home when it was read. The layout knows it better.
    pub(super) path: String,
    /// First byte, of what is published.
    pub(super) from: u64,
    /// The byte after the last one.
    pub(super) to: u64,
    /// Where the publisher continues in the file itself. It is `to` when texts are published as they are.
    pub(super) source_to: u64,
    /// Link of the chain before this piece: [`FIRST_LINK`], or `after` of the piece before it.
    pub(super) before: String,
    /// Link of the chain after it: the digest of `before` and its bytes.
    pub(super) after: String,
    /// Digest of all that is published of the log up to its end. A publisher that resumes compares it with the file.
    pub(super) content: String,
    /// Random name of the process that published it.
    pub(super) publisher: String,
}

/// Why a message is no batch.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BatchFault {
    #[error("the header {0} is missing or has a wrong value")]
    Header(&'static str),
    #[error("the payload cannot be unpacked")]
    Payload,
    #[error("the payload has {0} bytes and its place is for {1}")]
    Length(u64, u64),
    #[error("the bytes do not have the digest that their headers say")]
    Chain,
}

impl BatchPlace {
    /// The headers that say it.
    pub(super) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(PATH, self.path.as_str());
        headers.insert(FROM, self.from.to_string());
        headers.insert(TO, self.to.to_string());
        headers.insert(SOURCE_TO, self.source_to.to_string());
        headers.insert(BEFORE, self.before.as_str());
        headers.insert(AFTER, self.after.as_str());
        headers.insert(CONTENT, self.content.as_str());
        headers.insert(PUBLISHER, self.publisher.as_str());
        headers
    }

    /// The place that headers say.
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, BatchFault> {
        let text = |name: &'static str| {
            headers.get(name).map(|value| value.as_str().to_owned()).ok_or(BatchFault::Header(name))
        };
        let number = |name: &'static str| text(name)?.parse::<u64>().map_err(|_| BatchFault::Header(name));
        let digest = |name: &'static str| text(name).and_then(|text| digest_text(text).ok_or(BatchFault::Header(name)));
        let place = Self {
            path: text(PATH)?,
            from: number(FROM)?,
            to: number(TO)?,
            source_to: number(SOURCE_TO)?,
            before: digest(BEFORE)?,
            after: digest(AFTER)?,
            content: digest(CONTENT)?,
            publisher: text(PUBLISHER)?,
        };
        if place.to <= place.from {
            return Err(BatchFault::Header(TO));
        }
        Ok(place)
    }
}

fn digest_text(text: String) -> Option<String> {
    (text.len() == LogDigest::LETTERS && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text)
}

impl LogBatch {
    /// The payload of its message.
    pub(super) fn payload(&self, compressor: &mut Compressor<'_>) -> std::io::Result<Vec<u8>> {
        compressor.compress(&self.bytes)
    }

    /// Reads a message.
    pub(super) fn read(headers: &HeaderMap, payload: &[u8]) -> Result<Self, BatchFault> {
        let place = BatchPlace::read(headers)?;
        let bytes = unpacked(payload, MAX_UNPACKED_BYTES).ok_or(BatchFault::Payload)?;
        let length = bytes.len() as u64;
        if length != place.to - place.from {
            return Err(BatchFault::Length(length, place.to - place.from));
        }
        if link(&place.before, &bytes) != place.after {
            return Err(BatchFault::Chain);
        }
        Ok(Self { place, bytes })
    }
}

/// The link of the chain after bytes.
pub(super) fn link(before: &str, bytes: &[u8]) -> String {
    let mut digest = LogDigest::default();
    digest.update(before.as_bytes());
    digest.update(bytes);
    digest.hex()
}

/// Packs payloads. To make one takes longer than to pack a few lines with it.
pub(super) fn compressor() -> std::io::Result<Compressor<'static>> {
    Compressor::new(LEVEL)
}

/// Bytes, packed.
pub(super) fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    compressor()?.compress(bytes)
}

/// The bytes of a payload; `None` when it is damaged or holds more than `limit`.
pub(super) fn unpacked(payload: &[u8], limit: usize) -> Option<Vec<u8>> {
    zstd::bulk::decompress(payload, limit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch() -> LogBatch {
        let bytes = b"{}\n".to_vec();
        let place = BatchPlace {
            path: "logs/coordination-events.ndjson".to_owned(),
            from: 0,
            to: 3,
            source_to: 7,
            before: FIRST_LINK.to_owned(),
            after: link(FIRST_LINK, &bytes),
            content: link("", &bytes),
            publisher: "a1".to_owned(),
        };
        LogBatch { place, bytes }
    }

    fn payload(batch: &LogBatch) -> Vec<u8> {
        batch.payload(&mut compressor().expect("a compressor")).expect("packed")
    }

    #[test]
    fn messages_give_the_batches_that_were_published() {
        let batch = batch();
        let read = LogBatch::read(&batch.place.headers(), &payload(&batch));
        assert_eq!(read, Ok(batch));
    }

    #[test]
    fn damaged_messages_are_refused() {
        let batch = batch();
        let payload = payload(&batch);
        for header in [PATH, FROM, TO, SOURCE_TO, BEFORE, AFTER, CONTENT, PUBLISHER] {
            let mut headers = HeaderMap::new();
            for (name, values) in batch.place.headers().iter().filter(|(name, _)| name.as_ref() as &str != header) {
                headers.insert(name.clone(), values[0].clone());
            }
            assert_eq!(LogBatch::read(&headers, &payload), Err(BatchFault::Header(header)));
        }
        let with = |name: &str, value: &str| {
            let mut headers = batch.place.headers();
            headers.insert(name, value);
            LogBatch::read(&headers, &payload)
        };
        assert_eq!(with(FROM, "-1"), Err(BatchFault::Header(FROM)));
        assert_eq!(with(TO, "0"), Err(BatchFault::Header(TO)), "no bytes");
        assert_eq!(with(TO, "4"), Err(BatchFault::Length(3, 4)));
        assert_eq!(with(AFTER, "short"), Err(BatchFault::Header(AFTER)));
        assert_eq!(with(BEFORE, &batch.place.after), Err(BatchFault::Chain));
        assert_eq!(LogBatch::read(&batch.place.headers(), &payload[1..]), Err(BatchFault::Payload));
        let bomb = packed(&vec![0; MAX_UNPACKED_BYTES + 1]).expect("packed");
        assert_eq!(LogBatch::read(&batch.place.headers(), &bomb), Err(BatchFault::Payload));
    }
}
