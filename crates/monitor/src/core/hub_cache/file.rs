//! Format of the file in which the monitor saves the hub for its next start: a header, the sections of the hub one
//! after the other, and a table of contents with a checksum of each section. Numbers are little-endian, values are in
//! postcard's format.
//!
//! The header is written last, so a file that was not completed is not recognised. Sections are read and decoded
//! independently, on several threads.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use coordination::hub::{SectionJob, SectionSink, SectionSource};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::program::ProgramIdentity;
use crate::fs::durable;

const MAGIC: [u8; 16] = *b"task-monitor hub";
/// Another value where numbers have another byte order.
const BYTE_ORDER: u32 = 0x0102_0304;
/// Changes with this file and with the meaning of what is saved; the layout of values changes with the program.
const FORMAT: u32 = 1;
/// Magic, byte order, format, position and checksum of the contents, checksum of the header.
const HEADER_BYTES: usize = 16 + 4 + 4 + 8 + 8 + 4 + 4;
/// Bytes written at once; between two writes a save may be interrupted.
const WRITE_BYTES: usize = 256 * 1024;
/// Threads that decode; more would wait for the longest section.
const MAX_THREADS: usize = 4;

/// Why a cache file is not used.
#[derive(Debug, thiserror::Error)]
pub(super) enum CacheError {
    /// The file does not exist.
    #[error("the file does not exist")]
    Absent,
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(io::Error),
    /// Not a file of this user alone.
    #[error("others may change it")]
    NotPrivate,
    /// Another format, or no cache file.
    #[error("it has another format")]
    OtherFormat,
    /// Saved by another build, whose values may have another layout or meaning.
    #[error("another build of the program saved it")]
    OtherProgram,
    /// Saved of another home.
    #[error("it is of another home")]
    OtherHome,
    /// Cut short or changed.
    #[error("it is incomplete or damaged")]
    Damaged,
}

impl From<io::Error> for CacheError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Absent,
            io::ErrorKind::UnexpectedEof => Self::Damaged,
            _ => Self::Io(error),
        }
    }
}

/// Why nothing was saved.
#[derive(Debug, thiserror::Error)]
pub(super) enum SaveError {
    /// A change of the hub was waiting.
    #[error("a change of the hub was waiting")]
    Interrupted,
    /// The disk, or a value without a saved form.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Table of contents.
#[derive(Debug, Serialize, Deserialize)]
struct CacheContents {
    program: ProgramIdentity,
    /// Path of the home.
    home: String,
    sections: Vec<SectionEntry>,
}

/// Position of a section.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct SectionEntry {
    name: String,
    offset: u64,
    length: u64,
    checksum: u32,
}

/// Header of the file.
#[derive(Debug, PartialEq)]
struct CacheHeader {
    offset: u64,
    length: u64,
    checksum: u32,
}

impl CacheHeader {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&BYTE_ORDER.to_le_bytes());
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&self.offset.to_le_bytes());
        bytes.extend_from_slice(&self.length.to_le_bytes());
        bytes.extend_from_slice(&self.checksum.to_le_bytes());
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Self, CacheError> {
        let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        if bytes[..16] != MAGIC || u32_at(16) != BYTE_ORDER || u32_at(20) != FORMAT {
            return Err(CacheError::OtherFormat);
        }
        if crc32fast::hash(&bytes[..HEADER_BYTES - 4]) != u32_at(HEADER_BYTES - 4) {
            return Err(CacheError::Damaged);
        }
        Ok(Self { offset: u64_at(24), length: u64_at(32), checksum: u32_at(40) })
    }
}

/// Writer of a cache file.
pub(super) struct CacheWriter<'a> {
    file: File,
    /// Bytes of the section that are not written yet.
    buffer: Vec<u8>,
    /// Bytes written.
    written: u64,
    checksum: crc32fast::Hasher,
    sections: Vec<SectionEntry>,
    /// Whether to give up.
    interrupted: &'a dyn Fn() -> bool,
    /// Why the section under way failed.
    error: Option<SaveError>,
}

impl<'a> CacheWriter<'a> {
    /// Begins a file at `path`, for this user alone. `interrupted` is asked between two writes.
    pub(super) fn create(path: &Path, interrupted: &'a dyn Fn() -> bool) -> io::Result<Self> {
        let mut file = durable::create(path, 0o600)?;
        file.write_all(&[0; HEADER_BYTES])?;
        Ok(Self {
            file,
            buffer: Vec::with_capacity(WRITE_BYTES + 4096),
            written: HEADER_BYTES as u64,
            checksum: crc32fast::Hasher::new(),
            sections: Vec::new(),
            interrupted,
            error: None,
        })
    }

    /// Completes the file whatever happens from now on.
    pub(super) fn end_interruptions(&mut self) {
        self.interrupted = &|| false;
    }

    /// Takes a section that is encoded already.
    pub(super) fn encoded_section(&mut self, name: &str, bytes: &[u8]) -> Result<(), SaveError> {
        let offset = self.written;
        self.buffer.extend_from_slice(bytes);
        self.end_section(name, offset)
    }

    fn end_section(&mut self, name: &str, offset: u64) -> Result<(), SaveError> {
        self.flush()?;
        let checksum = std::mem::take(&mut self.checksum).finalize();
        self.sections.push(SectionEntry { name: name.to_owned(), offset, length: self.written - offset, checksum });
        Ok(())
    }

    /// Completes the file on the disk; returns its bytes.
    pub(super) fn finish(mut self, program: ProgramIdentity, home: &str) -> Result<u64, SaveError> {
        let sections = std::mem::take(&mut self.sections);
        let offset = self.written;
        self.section("contents", &CacheContents { program, home: home.to_owned(), sections })?;
        let Some(SectionEntry { length, checksum, .. }) = self.sections.pop() else {
            return Err(io::Error::other("no contents").into());
        };
        self.file.write_all_at(&CacheHeader { offset, length, checksum }.to_bytes(), 0)?;
        self.file.sync_all()?;
        Ok(self.written)
    }

    fn flush(&mut self) -> Result<(), SaveError> {
        if (self.interrupted)() {
            return Err(SaveError::Interrupted);
        }
        self.checksum.update(&self.buffer);
        self.file.write_all(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < WRITE_BYTES {
            return Ok(());
        }
        self.flush().map_err(|error| {
            self.error = Some(error);
            postcard::Error::SerializeBufferFull
        })
    }
}

impl SectionSink for CacheWriter<'_> {
    type Error = SaveError;

    fn section<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), SaveError> {
        let offset = self.written;
        if let Err(error) = postcard::serialize_with_flavor(value, SectionFlavor(self)) {
            return Err(self.error.take().unwrap_or_else(|| io::Error::other(format!("{name}: {error}")).into()));
        }
        self.end_section(name, offset)
    }
}

/// Passes encoded bytes to the writer.
struct SectionFlavor<'a, 'b>(&'a mut CacheWriter<'b>);

impl postcard::ser_flavors::Flavor for SectionFlavor<'_, '_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.push(bytes)
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Reader of a cache file.
#[derive(Debug)]
pub(super) struct CacheReader {
    file: File,
    sections: HashMap<String, SectionEntry>,
}

impl CacheReader {
    /// Opens the cache file of a home that this program saved. The sections are checked when they are read.
    pub(super) fn open(path: &Path, home: &str) -> Result<Self, CacheError> {
        let file = durable::open(File::options().read(true), path)?;
        let meta = file.metadata()?;
        if meta.uid() != rustix::process::geteuid().as_raw() || meta.mode() & 0o022 != 0 {
            return Err(CacheError::NotPrivate);
        }
        let mut header = [0; HEADER_BYTES];
        file.read_exact_at(&mut header, 0)?;
        let CacheHeader { offset, length, checksum } = CacheHeader::from_bytes(&header)?;
        if offset.checked_add(length) != Some(meta.len()) {
            return Err(CacheError::Damaged);
        }
        let entry = SectionEntry { name: String::new(), offset, length, checksum };
        let contents = Self { file, sections: HashMap::from([(String::new(), entry)]) };
        // The names of the fields may differ in another build, and then it is no damage.
        let CacheContents { program, home: saved_home, sections } = contents.section("").ok_or(CacheError::Damaged)?;
        if !program.is_this() {
            return Err(CacheError::OtherProgram);
        }
        if saved_home != home {
            return Err(CacheError::OtherHome);
        }
        let sections = sections.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        Ok(Self { file: contents.file, sections })
    }
}

impl SectionSource for CacheReader {
    fn section<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let entry = self.sections.get(name)?;
        let end = entry.offset.checked_add(entry.length)?;
        if end > self.file.metadata().ok()?.len() {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(entry.length).ok()?];
        self.file.read_exact_at(&mut bytes, entry.offset).ok()?;
        if crc32fast::hash(&bytes) != entry.checksum {
            return None;
        }
        let (value, rest) = postcard::take_from_bytes(&bytes).ok()?;
        rest.is_empty().then_some(value)
    }

    fn run(&self, jobs: Vec<SectionJob<'_>>) {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let jobs = Mutex::new(jobs.into_iter());
        let work = || {
            loop {
                let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(job) = next else { return };
                job();
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_of_other_format_or_byte_order_is_refused() {
        let header = CacheHeader { offset: 1, length: 2, checksum: 3 };
        let bytes: [u8; HEADER_BYTES] = header.to_bytes().try_into().expect("a header");
        assert_eq!(CacheHeader::from_bytes(&bytes).expect("a header"), header);
        let swapped = |range: std::ops::Range<usize>| {
            let mut other = bytes;
            other[range].reverse();
            CacheHeader::from_bytes(&other)
        };
        assert!(matches!(swapped(16..20), Err(CacheError::OtherFormat)), "another byte order");
        assert!(matches!(swapped(20..24), Err(CacheError::OtherFormat)), "another format");
        assert!(matches!(swapped(0..16), Err(CacheError::OtherFormat)), "another file");
        assert!(matches!(swapped(24..40), Err(CacheError::Damaged)), "another position");
    }

    #[test]
    fn file_of_other_build_or_writable_by_others_is_refused() {
        let dir = tempfile::tempdir().expect("dir");
        let path = dir.path().join("x.cache");
        let program = ProgramIdentity::current().expect("this program");
        let save = |program| {
            let mut writer = CacheWriter::create(&path, &|| false).expect("create");
            writer.section("numbers", &[1_u8, 2, 3][..]).expect("a section");
            writer.finish(program, "home").expect("finish");
            CacheReader::open(&path, "home")
        };
        let reader = save(program).expect("saved");
        assert_eq!(reader.section::<Vec<u8>>("numbers"), Some(vec![1, 2, 3]));
        assert_eq!(reader.section::<(u8, u8)>("numbers"), None, "another type");
        assert!(matches!(CacheReader::open(&path, "other"), Err(CacheError::OtherHome)));
        assert!(matches!(save(program.other_build()), Err(CacheError::OtherProgram)));
        save(program).expect("saved");
        let shared = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        std::fs::set_permissions(&path, shared).expect("mode");
        assert!(matches!(CacheReader::open(&path, "home"), Err(CacheError::NotPrivate)));
        std::fs::remove_file(&path).expect("remove");
        assert!(matches!(CacheReader::open(&path, "home"), Err(CacheError::Absent)));
    }

    #[test]
    fn save_gives_way_to_a_waiting_change() {
        let dir = tempfile::tempdir().expect("dir");
        let pieces = std::cell::Cell::new(0);
        let interrupted = || {
            pieces.set(pieces.get() + 1);
            pieces.get() > 3
        };
        let mut writer = CacheWriter::create(&dir.path().join("x"), &interrupted).expect("create");
        let much = vec!["배포"; WRITE_BYTES];
        assert!(matches!(writer.section("much", &much[..]), Err(SaveError::Interrupted)));
        assert_eq!(pieces.get(), 4, "asked after each piece, and not again");
    }
}
