//! Writer of precompressed files (`.br`, `.zst`, `.gz`), so that no server compresses the same bytes twice.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

use crate::tree;

const MIN_COMPRESSED_BYTES: usize = 1024;

/// Compresses what shrinks. `index.html` is left alone: servers fill its `<base>` and `<meta>` tags.
pub fn siblings(staged: &Path) -> Result<(usize, usize)> {
    let mut count = 0;
    let mut saved = 0;
    for file in tree::files_below(staged, &[])? {
        if !is_compressible(&file) || file == staged.join("index.html") {
            continue;
        }
        let bytes = std::fs::read(&file)?;
        if bytes.len() < MIN_COMPRESSED_BYTES {
            continue;
        }
        let packed = [("br", brotli(&bytes)?), ("zst", zstd(&bytes)?), ("gz", gzip(&bytes)?)];
        saved += bytes.len().saturating_sub(packed[0].1.len());
        count += 1;
        for (ending, packed) in packed {
            if packed.len() < bytes.len() {
                let mut name = file.clone().into_os_string();
                name.push(format!(".{ending}"));
                std::fs::write(&name, packed)?;
            }
        }
    }
    Ok((count, saved))
}

fn is_compressible(file: &Path) -> bool {
    let endings = ["wasm", "js", "css", "html", "svg", "json", "webmanifest", "txt"];
    file.extension().and_then(|end| end.to_str()).is_some_and(|end| endings.contains(&end))
}

/// Brotli at its highest quality, with the largest window every browser takes.
pub fn brotli(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let params =
        brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, size_hint: bytes.len(), ..Default::default() };
    brotli::BrotliCompress(&mut &bytes[..], &mut out, &params).context("brotli")?;
    Ok(out)
}

fn zstd(bytes: &[u8]) -> Result<Vec<u8>> {
    zstd::bulk::compress(bytes, 19).context("zstd")
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(bytes)?;
    out.finish().context("gzip")
}

#[cfg(test)]
mod tests {
    use super::{brotli, gzip, zstd};

    #[test]
    fn every_packer_gives_back_what_it_took() {
        let text = "세움이 300초 안에 답하지 않았습니다. ".repeat(200);
        let mut unpacked = Vec::new();
        let packed = brotli(text.as_bytes()).expect("brotli");
        brotli::BrotliDecompress(&mut packed.as_slice(), &mut unpacked).expect("unpack");
        assert_eq!(unpacked, text.as_bytes());
        assert!(packed.len() * 20 < text.len());
        assert_eq!(
            zstd::bulk::decompress(&zstd(text.as_bytes()).expect("zstd"), text.len()).expect("unpack"),
            text.as_bytes()
        );
        let mut gz = String::new();
        let packed = gzip(text.as_bytes()).expect("gzip");
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(packed.as_slice()), &mut gz).expect("unpack");
        assert_eq!(gz, text);
    }
}
