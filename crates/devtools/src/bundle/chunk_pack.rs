//! Pack of small wasm chunks (code that several parts of the page share) in one file. Most chunks are smaller than the
//! headers of a request of their own. The pack is a wasm file whose custom sections are the chunks, so hosts and
//! browsers treat it like any other wasm file.

use anyhow::{Result, bail};
use wasm_encoder::{CustomSection, Module};

/// Chunks below this size are packed.
pub const MAX_PACKED_CHUNK_BYTES: usize = 8 * 1024;

/// A chunk: its file name without `.wasm`, and its bytes.
pub type NamedChunk = (String, Vec<u8>);

/// The pack of these chunks.
pub fn pack(chunks: &[NamedChunk]) -> Vec<u8> {
    let mut module = Module::new();
    for (name, bytes) in chunks {
        module.section(&CustomSection { name: name.into(), data: bytes.into() });
    }
    module.finish()
}

/// The script that loads the parts, made to take these chunks from the pack; `fetch` is the expression that fetches it.
///
/// # Errors
///
/// When the script does not fetch a chunk in the known form.
pub fn read_by(link: &str, chunks: &[NamedChunk], fetch: &str) -> Result<String> {
    let mut link = link.to_owned();
    for (name, _) in chunks {
        let plain = super::split::plain_fetch(&format!("{name}.wasm"));
        if !link.contains(&plain) {
            bail!("the script that fetches the parts is written differently: {name} would not be found");
        }
        link = link.replace(&plain, &format!("packedChunk(\"{name}\")"));
    }
    Ok(format!("{link}{}", READ_CHUNK.replace("FETCH", fetch)))
}

/// A chunk as the answer that a fetch of its own would bring. A pack that could not be fetched is asked for again.
const READ_CHUNK: &str = r#"
let chunkPack;
async function packedChunk(name) {
    chunkPack ??= WebAssembly.compileStreaming(FETCH).catch((error) => {
        chunkPack = undefined;
        throw error;
    });
    const [bytes] = WebAssembly.Module.customSections(await chunkPack, name);
    return new Response(bytes, { headers: { "content-type": "application/wasm" } });
}
"#;

#[cfg(test)]
mod tests {
    use super::{pack, read_by};

    #[test]
    fn chunks_are_read_from_pack() {
        let chunks = [("chunk_8".to_owned(), b"\0asm\x01\0\0\0".to_vec()), ("chunk_9".to_owned(), vec![1, 2])];
        let link =
            "fetch(new URL(\"./chunk_8.wasm\", import.meta.url)) fetch(new URL(\"./chunk_9.wasm\", import.meta.url))";
        let read = read_by(link, &chunks, "fetch(pack)").expect("known form");
        assert!(read.starts_with("packedChunk(\"chunk_8\") packedChunk(\"chunk_9\")\n"), "{read}");
        assert!(read.contains("compileStreaming(fetch(pack))"), "{read}");
        assert!(read_by("fetch(other)", &chunks, "").is_err());
        let sections = wasmparser::Parser::new(0)
            .parse_all(&pack(&chunks))
            .filter_map(|payload| match payload {
                Ok(wasmparser::Payload::CustomSection(section)) => {
                    Some((section.name().to_owned(), section.data().to_vec()))
                }
                _ => None,
            })
            .collect::<Vec<_>>();
        assert_eq!(sections, chunks);
    }
}
