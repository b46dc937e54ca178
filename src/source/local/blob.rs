//! Reader of a file of the browser. It reads synchronously, as only a worker may.

use std::io::{self, Read, Seek, SeekFrom};

use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use web_sys::{Blob, FileReaderSync};

/// Bytes that are read at once: each reading of a file costs a call into the browser.
const BUFFER_BYTES: u64 = 1 << 20;

/// The bytes of a file.
pub(super) struct BlobReader {
    blob: Blob,
    reader: FileReaderSync,
    size: u64,
    at: u64,
    /// Bytes from `buffer_at` on.
    buffer: Vec<u8>,
    buffer_at: u64,
}

impl BlobReader {
    pub(super) fn new(blob: Blob) -> Result<Self, JsValue> {
        let size = blob.size() as u64;
        Ok(Self { blob, reader: FileReaderSync::new()?, size, at: 0, buffer: Vec::new(), buffer_at: 0 })
    }

    fn fill(&mut self) -> Result<(), JsValue> {
        let end = self.size.min(self.at + BUFFER_BYTES);
        let part = self.blob.slice_with_f64_and_f64(self.at as f64, end as f64)?;
        let bytes = Uint8Array::new(&self.reader.read_as_array_buffer(&part)?.into());
        self.buffer.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut self.buffer);
        self.buffer_at = self.at;
        Ok(())
    }

    /// The buffered bytes from the position on.
    fn ready(&self) -> &[u8] {
        let skipped = self.at.checked_sub(self.buffer_at).and_then(|skipped| usize::try_from(skipped).ok());
        skipped.and_then(|skipped| self.buffer.get(skipped..)).unwrap_or_default()
    }
}

impl Read for BlobReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.ready().is_empty() && self.at < self.size {
            self.fill().map_err(|error| io::Error::other(error_text(&error)))?;
        }
        let read = self.ready().read(to)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for BlobReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = place.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}

/// What the browser says, e.g. that the file was changed since it was chosen.
fn error_text(error: &JsValue) -> String {
    let error: Option<&js_sys::Error> = wasm_bindgen::JsCast::dyn_ref(error);
    error.map_or_else(|| "it cannot be read".to_owned(), |error| error.message().into())
}
