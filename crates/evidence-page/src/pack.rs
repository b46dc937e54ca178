//! Files of the dashboard as one text inside an evidence page: one packed stream over all of them, since they have much
//! in common, and a text of it that is smaller than base64. `start.js` unpacks it.

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{LzmaOptions, LzmaWriter};

/// How files are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PagePacking {
    /// One LZMA stream without header and end mark, which `start.js` unpacks. Packing a dashboard takes seconds.
    Lzma,
    /// As browsers unpack it themselves: for dashboards without optimisation, which a script would unpack for many
    /// seconds.
    Gzip,
}

impl PagePacking {
    /// Name in the page.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Lzma => "lzma",
            Self::Gzip => "gzip",
        }
    }

    /// The files as one stream.
    pub(super) fn pack(self, files: &[&[u8]]) -> io::Result<Vec<u8>> {
        match self {
            Self::Lzma => lzma(files),
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                files.iter().try_for_each(|file| encoder.write_all(file))?;
                encoder.finish()
            }
        }
    }
}

/// Bits of the byte before that choose how a byte is coded. Places play no part: `start.js` expects just this.
const CONTEXT_BITS: u32 = 4;
/// Places between which the stream finds what it repeats: those of all files.
const DICTIONARY_BYTES: u32 = 16 << 20;

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
    pub(in super::super) fn unpacked(text: &str, packing: PagePacking, size: usize) -> Vec<u8> {
        let (stream, mut files) = (bytes_of(text), Vec::new());
        match packing {
            PagePacking::Lzma => LzmaReader::new(&stream[..], size as u64, CONTEXT_BITS, 0, 0, DICTIONARY_BYTES, None)
                .and_then(|mut reader| reader.read_to_end(&mut files))
                .expect("a stream"),
            PagePacking::Gzip => flate2::read::GzDecoder::new(&stream[..]).read_to_end(&mut files).expect("gzip"),
        };
        assert_eq!(files.len(), size);
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
        for packing in [PagePacking::Lzma, PagePacking::Gzip] {
            let stream = packing.pack(&files).expect("packed");
            assert!(stream.len() < 80, "{}", stream.len());
            assert_eq!(unpacked(&text_of(&stream), packing, 600), files.concat(), "{packing:?}");
        }
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
