//! Dashboard inside the program: a read-only file system for `ServeDir` over the files that `build.rs` embeds. Without the
//! feature `embed` there are no files. Ranges, content types and packed variants work as with a folder.

use std::collections::BTreeMap;
use std::future::{Ready, ready};
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncRead, AsyncSeek, ReadBuf};
use tower_http::services::fs::{Backend, File, Metadata};

/// Files that a client wanted unpacked; at most all of them, some 6 MB.
static UNPACKED: LazyLock<Mutex<BTreeMap<String, Arc<[u8]>>>> = LazyLock::new(Mutex::default);

include!(concat!(env!("OUT_DIR"), "/bundle_files.rs"));

/// The page with its placeholders, to be filled in.
pub(super) fn page() -> Option<&'static str> {
    find("index.html").and_then(|bytes| std::str::from_utf8(bytes).ok())
}

/// A file, unpacked.
pub(super) fn read(name: &str) -> io::Result<Vec<u8>> {
    Ok(match EmbeddedFile::open(Path::new(name))? {
        EmbeddedFile::Embedded(bytes) => bytes.into_inner().to_vec(),
        EmbeddedFile::Unpacked(bytes) => bytes.into_inner().to_vec(),
    })
}

/// The embedded files by their paths below the folder of the dashboard.
#[derive(Debug, Clone, Copy)]
pub(super) struct EmbeddedFiles;

/// An open file: the embedded bytes, or those unpacked from a variant.
#[derive(Debug)]
pub(super) enum EmbeddedFile {
    Embedded(Cursor<&'static [u8]>),
    Unpacked(Cursor<Arc<[u8]>>),
}

/// Length of a file. All have the time of the build.
#[derive(Debug, Clone, Copy)]
pub(super) struct EmbeddedMetadata {
    bytes: u64,
    folder: bool,
}

impl EmbeddedFile {
    /// A file that is embedded only packed is unpacked for the first client that needs it.
    fn open(path: &Path) -> io::Result<Self> {
        let path = name(path).ok_or(io::ErrorKind::NotFound)?;
        if let Some(bytes) = find(path) {
            return Ok(Self::Embedded(Cursor::new(bytes)));
        }
        let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = unpacked.get(path) {
            return Ok(Self::Unpacked(Cursor::new(Arc::clone(bytes))));
        }
        let mut packed = find(&format!("{path}.br")).ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = Vec::new();
        brotli_decompressor::BrotliDecompress(&mut packed, &mut bytes)?;
        let bytes: Arc<[u8]> = bytes.into();
        unpacked.insert(path.to_owned(), Arc::clone(&bytes));
        Ok(Self::Unpacked(Cursor::new(bytes)))
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Embedded(bytes) => bytes.get_ref().len() as u64,
            Self::Unpacked(bytes) => bytes.get_ref().len() as u64,
        }
    }
}

/// Path in the table of what `ServeDir` asks for, which begins with `./`.
fn name(path: &Path) -> Option<&str> {
    path.strip_prefix(".").unwrap_or(path).to_str()
}

/// The table is sorted by path.
fn find(path: &str) -> Option<&'static [u8]> {
    FILES.binary_search_by_key(&path, |(known, _)| known).ok().map(|index| FILES[index].1)
}

/// Length, unpacked, of a file that is embedded only packed.
fn packed_length(path: &str) -> Option<u64> {
    PACKED.binary_search_by_key(&path, |(known, _)| known).ok().map(|index| PACKED[index].1)
}

fn is_folder(path: &Path) -> bool {
    FILES.iter().any(|(known, _)| Path::new(known) != path && Path::new(known).starts_with(path))
}

impl Backend for EmbeddedFiles {
    type File = EmbeddedFile;
    type Metadata = EmbeddedMetadata;
    type OpenFuture = Ready<io::Result<EmbeddedFile>>;
    type MetadataFuture = Ready<io::Result<EmbeddedMetadata>>;

    fn open(&self, path: PathBuf) -> Self::OpenFuture {
        ready(EmbeddedFile::open(&path))
    }

    fn metadata(&self, path: PathBuf) -> Self::MetadataFuture {
        let name = name(&path).unwrap_or_default();
        let bytes = find(name).map(|bytes| bytes.len() as u64).or_else(|| packed_length(name));
        ready(match bytes {
            Some(bytes) => Ok(EmbeddedMetadata { bytes, folder: false }),
            None if is_folder(Path::new(name)) => Ok(EmbeddedMetadata { bytes: 0, folder: true }),
            None => Err(io::ErrorKind::NotFound.into()),
        })
    }
}

impl File for EmbeddedFile {
    type Metadata = EmbeddedMetadata;
    type MetadataFuture<'a> = Ready<io::Result<EmbeddedMetadata>>;

    fn metadata(&self) -> Self::MetadataFuture<'_> {
        ready(Ok(EmbeddedMetadata { bytes: self.bytes(), folder: false }))
    }
}

impl Metadata for EmbeddedMetadata {
    fn is_dir(&self) -> bool {
        self.folder
    }

    fn modified(&self) -> io::Result<SystemTime> {
        Ok(UNIX_EPOCH + Duration::from_secs(MODIFIED_SECONDS))
    }

    fn len(&self) -> u64 {
        self.bytes
    }
}

impl AsyncRead for EmbeddedFile {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Embedded(bytes) => Pin::new(bytes).poll_read(context, buffer),
            Self::Unpacked(bytes) => Pin::new(bytes).poll_read(context, buffer),
        }
    }
}

impl AsyncSeek for EmbeddedFile {
    fn start_seek(self: Pin<&mut Self>, position: io::SeekFrom) -> io::Result<()> {
        match self.get_mut() {
            Self::Embedded(bytes) => Pin::new(bytes).start_seek(position),
            Self::Unpacked(bytes) => Pin::new(bytes).start_seek(position),
        }
    }

    fn poll_complete(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<u64>> {
        match self.get_mut() {
            Self::Embedded(bytes) => Pin::new(bytes).poll_complete(context),
            Self::Unpacked(bytes) => Pin::new(bytes).poll_complete(context),
        }
    }
}

#[cfg(all(test, feature = "embed"))]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_has_the_page() {
        assert!(FILES.is_sorted_by_key(|(path, _)| *path) && PACKED.is_sorted_by_key(|(path, _)| *path));
        assert!(page().is_some_and(|html| html.contains("task-hub:api-base")));
    }

    #[tokio::test]
    async fn every_file_is_served_packed_and_plain() {
        use axum::body::Body;
        use axum::http::Request;
        use tower::ServiceExt as _;
        let names = FILES.iter().map(|(name, _)| name.trim_end_matches(".br"));
        for name in names {
            for accepted in ["br", "identity"] {
                let files = tower_http::services::ServeDir::with_backend("", EmbeddedFiles).precompressed_br();
                let request = Request::get(format!("/{name}")).header("accept-encoding", accepted).body(Body::empty());
                let answer = files.oneshot(request.expect("request")).await.expect("an answer");
                assert_eq!(answer.status(), 200, "{name} as {accepted}");
            }
        }
    }

    #[test]
    fn packed_file_opens_plain_too() {
        let packed = FILES.iter().find_map(|(path, bytes)| Some((path.strip_suffix(".br")?, bytes.len() as u64)));
        let (path, bytes) = packed.expect("a packed file");
        let plain = EmbeddedFile::open(Path::new(path)).expect("unpacked");
        assert!(plain.bytes() > bytes, "{path}");
        assert_eq!(packed_length(path), Some(plain.bytes()));
        assert!(EmbeddedFile::open(Path::new("absent.js")).is_err());
    }
}
