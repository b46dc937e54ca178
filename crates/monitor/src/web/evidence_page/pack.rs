//! Files of the dashboard as one text inside an evidence page: one packed stream over all of them, since they have much
//! in common, and a text of it that is smaller than base64. `start.js` unpacks it.

use std::io::{self, Write as _};
use std::path::Path;

use coordination::digest::sha256_hex;
use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{LzmaOptions, LzmaWriter};

use crate::fs::durable;

/// Bits of the byte before that choose how a byte is coded. Places play no part: `start.js` expects just this.
const CONTEXT_BITS: u32 = 4;
/// Places between which the stream finds what it repeats: those of all files.
const DICTIONARY_BYTES: u32 = 16 << 20;

/// More than a released dashboard has. That of tests is one file without optimisation, which a script would unpack for many
/// seconds.
const MAX_LZMA_BYTES: usize = 16 << 20;

/// Less is packed within a tenth of a second, and not saved.
const MIN_SAVED_BYTES: usize = 1 << 20;
/// Beginning of the names of saved streams.
const SAVED: &str = "evidence-page-";
/// Letters of a digest.
const DIGEST_LETTERS: usize = 64;

/// How files are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PagePacking {
    /// One stream without header and end mark.
    Lzma,
    /// As browsers unpack it themselves.
    Gzip,
}

impl PagePacking {
    /// The one for files of this many bytes.
    pub(super) fn of_size(bytes: usize) -> Self {
        if bytes > MAX_LZMA_BYTES { Self::Gzip } else { Self::Lzma }
    }

    /// Name in the page.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Lzma => "lzma",
            Self::Gzip => "gzip",
        }
    }

    /// The files as one stream. Packing a dashboard with LZMA takes seconds, so its stream is saved in a folder for caches.
    pub(super) fn pack(self, files: &[&[u8]], caches: Option<&Path>) -> io::Result<Vec<u8>> {
        match self {
            Self::Lzma => {
                let is_small = files.iter().map(|file| file.len()).sum::<usize>() < MIN_SAVED_BYTES;
                let Some(folder) = caches.filter(|_| !is_small) else { return lzma(files) };
                // Of a stream with other settings the page could not read it.
                let settings = [CONTEXT_BITS.to_le_bytes(), DICTIONARY_BYTES.to_le_bytes()].concat();
                let digest = sha256_hex(&[files.concat(), settings].concat());
                let name = format!("{SAVED}{}", &digest[..16]);
                if let Some(stream) = saved(&folder.join(&name)) {
                    return Ok(stream);
                }
                let stream = lzma(files)?;
                if let Err(error) = save(folder, &name, &stream) {
                    tracing::debug!(%error, "the packed dashboard is not saved");
                }
                Ok(stream)
            }
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                files.iter().try_for_each(|file| encoder.write_all(file))?;
                encoder.finish()
            }
        }
    }
}

/// The stream of a saved file; `None` when there is no such file, or it is not whole.
fn saved(path: &Path) -> Option<Vec<u8>> {
    let (bytes, _) = durable::read(path, MAX_LZMA_BYTES as u64).ok()?;
    let (digest, stream) = bytes.split_at_checked(DIGEST_LETTERS)?;
    (sha256_hex(stream).as_bytes() == digest).then(|| stream.to_vec())
}

/// Saves a stream behind its digest, in place of that of another version.
fn save(folder: &Path, name: &str, stream: &[u8]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for entry in std::fs::read_dir(folder)?.flatten() {
        if entry.file_name().to_str().is_some_and(|other| other.starts_with(SAVED)) {
            durable::remove(&entry.path())?;
        }
    }
    durable::replace(&folder.join(name), &[sha256_hex(stream).as_bytes(), stream].concat())
}

fn lzma(files: &[&[u8]]) -> io::Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(9);
    (options.lc, options.lp, options.pb, options.dict_size) = (CONTEXT_BITS, 0, 0, DICTIONARY_BYTES);
    let mut writer = LzmaWriter::new_no_header(Vec::new(), &options, false)?;
    for file in files {
        writer.write_all(file)?;
    }
    writer.finish()
}

/// First character that is more than 7 bits: those before it control terminals.
const FIRST_WIDE: u32 = 0xA0;

/// Bytes as a text: 7 bits a character. A character that a page or a terminal would take for something else is a wide one,
/// with 6 bits more.
pub(super) fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 6 / 5);
    let (mut held, mut count) = (0_u32, 0);
    let mut left = bytes.iter();
    loop {
        while count < 13 {
            let Some(byte) = left.next() else { break };
            held = (held << 8) | u32::from(*byte);
            count += 8;
        }
        if count == 0 {
            return text;
        }
        // Behind the last byte there are zeros.
        let next = |from: u32, width: u32| {
            let shifted = if from >= width { held >> (from - width) } else { held << (width - from) };
            shifted & ((1 << width) - 1)
        };
        let value = next(count, 7);
        count = count.saturating_sub(7);
        let character = match hidden_place(value) {
            None => value,
            Some(place) => {
                let more = if count == 0 { 0 } else { next(count, 6) };
                count = count.saturating_sub(6);
                FIRST_WIDE + (place << 6) + more
            }
        };
        held &= (1 << count) - 1;
        text.extend(char::from_u32(character));
    }
}

/// Place of a value among those that are no character of the text: what controls a terminal, what a page changes, and what
/// could end its element.
fn hidden_place(value: u32) -> Option<u32> {
    match value {
        0..=8 => Some(value),
        13..=31 => Some(value - 4),
        60 => Some(28),
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Read as _;

    use lzma_rust2::LzmaReader;
    use proptest::prelude::*;

    use super::*;

    /// The bytes of a text, as `start.js` reads them.
    fn bytes_of(text: &str) -> Vec<u8> {
        let hidden: Vec<u32> = (0..128).filter(|value| hidden_place(*value).is_some()).collect();
        let (mut bytes, mut held, mut count) = (Vec::new(), 0_u64, 0);
        for character in text.chars().map(u32::from) {
            let parts = match character.checked_sub(FIRST_WIDE) {
                None => [(character, 7), (0, 0)],
                Some(wide) => [(hidden[(wide >> 6) as usize], 7), (wide & 63, 6)],
            };
            for (value, width) in parts {
                held = (held << width) | u64::from(value);
                count += width;
            }
            while count >= 8 {
                count -= 8;
                bytes.push((held >> count) as u8);
                held &= (1 << count) - 1;
            }
        }
        bytes
    }

    /// What the stream of a text holds.
    pub(in super::super) fn unpacked(text: &str, size: u64) -> Vec<u8> {
        let stream = bytes_of(text);
        let mut files = Vec::new();
        LzmaReader::new(&stream[..], size, CONTEXT_BITS, 0, 0, DICTIONARY_BYTES, None)
            .and_then(|mut reader| reader.read_to_end(&mut files))
            .expect("a stream");
        files
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_from_their_text(bytes: Vec<u8>) {
            let text = text_of(&bytes);
            prop_assert!(bytes_of(&text).starts_with(&bytes));
            prop_assert!(text.chars().all(|c| c != '<' && (!c.is_control() || matches!(c, '\t'..='\x0c' | '\x7f'))));
        }
    }

    #[test]
    fn files_are_one_stream() {
        let files = [b"one file".repeat(30), b"another file".repeat(30), Vec::new()];
        let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
        let stream = PagePacking::of_size(600).pack(&files, None).expect("packed");
        assert!(stream.len() < 80, "{}", stream.len());
        assert_eq!(unpacked(&text_of(&stream), 600), files.concat());
        let stream = PagePacking::of_size(66 << 20).pack(&files, None).expect("packed");
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&bytes_of(&text_of(&stream))[..]).read_to_end(&mut unpacked).expect("gzip");
        assert_eq!(unpacked, files.concat());
    }

    #[test]
    fn packed_stream_is_saved_until_the_files_change() {
        let folder = tempfile::tempdir().expect("a folder");
        let caches = folder.path().join("caches");
        let names = || -> Vec<_> {
            let entries = std::fs::read_dir(&caches).expect("a folder").flatten();
            entries.map(|entry| entry.file_name().into_string().expect("a name")).collect()
        };
        let (one, other) = (vec![7; MIN_SAVED_BYTES], vec![8; MIN_SAVED_BYTES]);
        let pack = |files: &[u8]| PagePacking::Lzma.pack(&[files], Some(&caches)).expect("packed");
        pack(&one[1..]);
        assert!(!caches.exists(), "it is small");
        let stream = pack(&one);
        let [saved] = &names()[..] else { panic!("one file") };
        let path = caches.join(saved);
        let marked = [sha256_hex(b"a mark").as_bytes(), b"a mark"].concat();
        std::fs::write(&path, &marked).expect("written");
        assert_eq!(pack(&one), b"a mark", "it is read");
        for damaged in [&marked[..marked.len() - 1], &marked[..10], b""] {
            std::fs::write(&path, damaged).expect("written");
            assert_eq!(pack(&one), stream, "{} bytes", damaged.len());
        }
        assert_ne!(pack(&other), stream);
        assert!(names().len() == 1 && !names().contains(saved), "{:?}", names());
        std::fs::remove_dir_all(&caches).expect("removed");
        std::fs::write(&caches, "no folder").expect("written");
        assert_eq!(pack(&one), stream);
    }

    #[test]
    fn text_is_a_sixth_larger_than_its_bytes() {
        let digests = (0..4000_u32).map(|number| coordination::digest::sha256_hex(&number.to_le_bytes()));
        let bytes: Vec<u8> = digests
            .flat_map(|digest| {
                (0..64)
                    .step_by(2)
                    .map(move |at| u8::from_str_radix(&digest[at..at + 2], 16).expect("hexadecimal"))
                    .collect::<Vec<_>>()
            })
            .collect();
        let size = text_of(&bytes).len();
        assert!(size * 100 < bytes.len() * 118, "{size} of {}", bytes.len());
    }
}
