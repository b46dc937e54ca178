//! OpenAPI document inside the released program: `docs/openapi.json`, packed by `build.rs`. A test of every other build
//! compares that file with what the code generates.

static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.br"));

/// The description as the text of a file.
#[must_use]
pub fn document() -> String {
    let mut text = Vec::new();
    if let Err(error) = brotli_decompressor::BrotliDecompress(&mut &PACKED[..], &mut text) {
        tracing::error!(%error, "the OpenAPI document cannot be unpacked; an empty one is served");
    }
    String::from_utf8(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn embedded_document_is_committed_one() {
        assert_eq!(super::document(), include_str!("../../../../../docs/openapi.json"));
    }
}
