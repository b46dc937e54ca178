//! Inputs as plain bytes: archives (ZIP and tar) are listed, compressed files are unpacked while they are read, and UTF-16 becomes
//! UTF-8.

mod waiting;

use std::cell::RefCell;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::rc::Rc;

use coordination::event::{LIVE_LOG, first_event_time};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use zip::ZipArchive;

use crate::content::{FileContentKind, is_transcript_path, may_be_read, unread_kind};
use waiting::SharedArchive;
pub(crate) use waiting::WaitingInput;

/// Bytes that are read of all inputs together, at most. A hub takes three times as much memory, and a page has 4 GiB.
pub const MAX_BYTES: u64 = 1 << 30;
/// Bytes of a tar archive that are unpacked, at most, with the files in it that are not read.
const MAX_TAR_BYTES: u64 = 8 * MAX_BYTES;
/// The byte order mark in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Bytes of an input by which its content is recognised.
const HEAD_BYTES: u64 = 64 * 1024;

/// A reader that can start over.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// A file that a person chose.
pub struct Input {
    /// Its path within the chosen folder, else its name; `/` separates folders.
    pub path: String,
    /// Its bytes.
    pub bytes: Box<dyn ReadSeek>,
}

impl Input {
    /// A file whose bytes are in memory.
    #[must_use]
    pub fn of_bytes(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { path: path.into(), bytes: Box::new(Cursor::new(bytes)) }
    }
}

/// An input that is being read as plain bytes.
pub(crate) struct OpenInput {
    /// Path without the ending of a compression.
    pub(crate) path: String,
    /// Size of the file as it is stored.
    pub(crate) size: u64,
    /// Its bytes are those of the file.
    pub(crate) is_plain: bool,
    /// First bytes, at most [`HEAD_BYTES`].
    pub(crate) head: Vec<u8>,
    /// The bytes after the head.
    pub(crate) rest: Box<dyn Read>,
}

impl OpenInput {
    /// Order in which logs are read: by their first events, the live one last.
    pub(crate) fn log_order(&self) -> (bool, i64, String) {
        (self.path.ends_with(LIVE_LOG), first_event_time(&self.head), self.path.clone())
    }
}

/// How an input is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Plain,
    Gzip,
    Zstd,
    Zip,
    /// UTF-16 with the least significant byte first.
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    fn of_magic(magic: &[u8]) -> Self {
        match magic {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [b'P', b'K', 3, 4, ..] => Self::Zip,
            [0xff, 0xfe, ..] => Self::Utf16Le,
            [0xfe, 0xff, ..] => Self::Utf16Be,
            _ => Self::Plain,
        }
    }
}

/// What became of a file of an input.
pub(crate) enum InputFile {
    /// It is read now.
    Open(OpenInput),
    /// A transcript, which is opened when its turn comes.
    Waiting(WaitingInput),
    /// It is not read.
    Unread(String, FileContentKind),
    /// It cannot be read: its path and why.
    Failed(String, io::Error),
}

/// Opens an input, or every file in it when it is an archive, of which `wants` takes the path. Files of archives are
/// unpacked into memory; `budget` is the number of bytes that may be.
pub(crate) fn open(input: Input, budget: &mut u64, wants: &dyn Fn(&str) -> bool) -> Vec<InputFile> {
    let Input { path, mut bytes } = input;
    if let Some(kind) = unread_kind(&path) {
        return vec![InputFile::Unread(path, kind)];
    }
    if is_transcript_path(&path) {
        return vec![match bytes.seek(SeekFrom::End(0)) {
            Ok(size) => InputFile::Waiting(WaitingInput::of_file(path, size, bytes)),
            Err(error) => InputFile::Failed(path, error),
        }];
    }
    let opened = magic(&mut bytes).and_then(|(encoding, size)| match encoding {
        Encoding::Zip => unzip(&path, bytes, budget, wants),
        _ => {
            let input = unpack(&path, bytes, encoding, size)?;
            if is_tar(&input.head) {
                return untar(input, budget, wants);
            }
            Ok(if wants(&input.path) { vec![InputFile::Open(input)] } else { Vec::new() })
        }
    });
    opened.unwrap_or_else(|error| vec![InputFile::Failed(path, error)])
}

/// The encoding by the first bytes, and the size.
fn magic(bytes: &mut Box<dyn ReadSeek>) -> io::Result<(Encoding, u64)> {
    let size = bytes.seek(SeekFrom::End(0))?;
    bytes.rewind()?;
    let mut magic = Vec::new();
    bytes.take(4).read_to_end(&mut magic)?;
    bytes.rewind()?;
    Ok((Encoding::of_magic(&magic), size))
}

/// The files of an archive. One that is an archive itself is not opened.
fn unzip(
    path: &str,
    bytes: Box<dyn ReadSeek>,
    budget: &mut u64,
    wants: &dyn Fn(&str) -> bool,
) -> io::Result<Vec<InputFile>> {
    let mut archive = ZipArchive::new(BufReader::new(bytes))?;
    let (mut files, mut transcripts) = (Vec::new(), Vec::new());
    for index in 0..archive.len() {
        let mut entry = match archive.by_index(index) {
            Ok(entry) if entry.is_file() => entry,
            Ok(_) => continue,
            Err(error) => {
                files.push(InputFile::Failed(format!("{path}: {index}"), error.into()));
                continue;
            }
        };
        let name = match entry.name() {
            Ok(name) => name.replace('\\', "/"),
            Err(error) => {
                files.push(InputFile::Failed(format!("{path}: {index}"), error.into()));
                continue;
            }
        };
        if let Some(kind) = unread_kind(&name) {
            files.push(InputFile::Unread(name, kind));
            continue;
        }
        if !may_be_read(&name) || !wants(plain_path(&name)) {
            continue;
        }
        if is_transcript_path(&name) {
            transcripts.push((name, entry.size(), index));
            continue;
        }
        files.push(InputFile::of_entry(name, &mut entry, budget));
    }
    let archive: SharedArchive = Rc::new(RefCell::new(archive));
    let waiting = transcripts
        .into_iter()
        .map(|(name, size, index)| InputFile::Waiting(WaitingInput::of_entry(name, size, Rc::clone(&archive), index)));
    files.extend(waiting);
    Ok(files)
}

/// Whether a file begins as a tar archive.
fn is_tar(head: &[u8]) -> bool {
    head.get(257..262).is_some_and(|mark| mark == b"ustar")
}

/// The files of a tar archive, which is read once from its beginning to its end.
fn untar(input: OpenInput, budget: &mut u64, wants: &dyn Fn(&str) -> bool) -> io::Result<Vec<InputFile>> {
    let OpenInput { path, head, rest, .. } = input;
    // What is skipped is unpacked too.
    let mut archive = tar::Archive::new(Cursor::new(head).chain(rest).take(MAX_TAR_BYTES));
    let mut files = Vec::new();
    for entry in archive.entries()? {
        let mut entry = match entry {
            Ok(entry) if entry.header().entry_type().is_file() => entry,
            Ok(_) => continue,
            Err(error) => {
                // Where the next file begins is not known.
                files.push(InputFile::Failed(path, error));
                break;
            }
        };
        let name = String::from_utf8_lossy(&entry.path_bytes()).trim_start_matches("./").to_owned();
        if let Some(kind) = unread_kind(&name) {
            files.push(InputFile::Unread(name, kind));
        } else if may_be_read(&name) && wants(plain_path(&name)) {
            let (size, before) = (entry.size(), *budget);
            let file = InputFile::of_entry(name, &mut entry, budget);
            let is_cut = before - *budget < size && !matches!(file, InputFile::Failed(..));
            let error = || io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends in the middle of it");
            files.push(if is_cut { file.cut(error()) } else { file });
        }
    }
    Ok(files)
}

impl InputFile {
    /// A file of an archive, unpacked into memory.
    fn of_entry(path: String, entry: &mut dyn Read, budget: &mut u64) -> Self {
        let mut content = Vec::new();
        let read = entry.take(*budget + 1).read_to_end(&mut content);
        let size = content.len() as u64;
        let fits = size <= *budget;
        *budget = budget.saturating_sub(size);
        if !fits {
            return Self::Failed(path, too_large());
        }
        let opened = || {
            let mut bytes: Box<dyn ReadSeek> = Box::new(Cursor::new(content));
            if is_transcript_path(&path) {
                return Ok(Self::Waiting(WaitingInput::of_file(path.clone(), size, bytes)));
            }
            let (encoding, size) = magic(&mut bytes)?;
            Ok(Self::Open(unpack(&path, bytes, encoding, size)?))
        };
        let opened = opened().unwrap_or_else(|error| Self::Failed(path.clone(), error));
        match read {
            Ok(_) => opened,
            Err(error) => opened.cut(error),
        }
    }

    /// The same file, of which there is no more: what there is is shown, and the error reported after it.
    fn cut(self, error: io::Error) -> Self {
        match self {
            Self::Open(OpenInput { path, size, is_plain, head, rest }) => {
                Self::Open(OpenInput { path, size, is_plain, head, rest: Box::new(rest.chain(Failing(Some(error)))) })
            }
            Self::Waiting(waiting) => Self::Failed(waiting.path().to_owned(), error),
            Self::Unread(..) | Self::Failed(..) => self,
        }
    }
}

fn unpack(path: &str, bytes: Box<dyn ReadSeek>, encoding: Encoding, size: u64) -> io::Result<OpenInput> {
    let broken = |error: String| io::Error::new(io::ErrorKind::InvalidData, error);
    let mut rest: Box<dyn Read> = match encoding {
        Encoding::Plain => Box::new(bytes),
        Encoding::Gzip => Box::new(flate2::read::MultiGzDecoder::new(bytes)),
        Encoding::Zstd => {
            let frame = StreamingDecoder::new(bytes).map_err(|error| broken(error.to_string()))?;
            Box::new(ZstdReader { frame: Some(frame) })
        }
        Encoding::Utf16Le => Box::new(Utf16Reader::new(bytes, u16::from_le_bytes)),
        Encoding::Utf16Be => Box::new(Utf16Reader::new(bytes, u16::from_be_bytes)),
        Encoding::Zip => return Err(broken("an archive inside an archive".to_owned())),
    };
    let mut head = Vec::new();
    if let Err(error) = (&mut rest).take(HEAD_BYTES).read_to_end(&mut head) {
        // What could be unpacked is shown, and the error reported after it.
        rest = Box::new(Failing(Some(error)));
    }
    if encoding != Encoding::Plain && head.starts_with(BYTE_ORDER_MARK) {
        head.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(OpenInput { path: plain_path(path).to_owned(), size, is_plain: encoding == Encoding::Plain, head, rest })
}

/// A path without the ending of a compression.
fn plain_path(path: &str) -> &str {
    [".gz", ".zst", ".zstd"].iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path)
}

pub(crate) fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {} MiB", MAX_BYTES >> 20))
}

/// Reader of all frames of a zstd file: programs that append write one after the other.
struct ZstdReader {
    frame: Option<ZstdFrame>,
}

type ZstdFrame = StreamingDecoder<Box<dyn ReadSeek>, FrameDecoder>;

impl Read for ZstdReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(frame) = &mut self.frame else { return Ok(0) };
            let read = frame.read(to)?;
            if read > 0 || to.is_empty() {
                return Ok(read);
            }
            let decoder = &frame.decoder;
            let sums = (decoder.get_checksum_from_data(), decoder.get_calculated_checksum());
            if let (Some(stored), Some(calculated)) = sums
                && stored != calculated
            {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a checksum differs"));
            }
            let mut bytes = self.frame.take().map(StreamingDecoder::into_inner).ok_or(io::ErrorKind::UnexpectedEof)?;
            let place = bytes.stream_position()?;
            if place < bytes.seek(SeekFrom::End(0))? {
                bytes.seek(SeekFrom::Start(place))?;
                let next = StreamingDecoder::new(bytes);
                self.frame = Some(next.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?);
            }
        }
    }
}

/// Reader that fails once.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Reader of UTF-16 as UTF-8. Halves of characters become U+FFFD.
struct Utf16Reader<R> {
    bytes: R,
    unit: fn([u8; 2]) -> u16,
    /// A byte, and a unit, that wait for their second half.
    half: Option<u8>,
    high: Option<u16>,
    /// UTF-8 that is ready, and how much of it was taken.
    ready: Vec<u8>,
    taken: usize,
}

impl<R: Read> Utf16Reader<R> {
    fn new(bytes: R, unit: fn([u8; 2]) -> u16) -> Self {
        Self { bytes, unit, half: None, high: None, ready: Vec::new(), taken: 0 }
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut raw = [0; 16 * 1024];
        let read = self.bytes.read(&mut raw)?;
        let mut units: Vec<u16> = self.high.take().into_iter().collect();
        for byte in raw.iter().take(read) {
            match self.half.take() {
                Some(first) => units.push((self.unit)([first, *byte])),
                None => self.half = Some(*byte),
            }
        }
        if read > 0 && units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) {
            self.high = units.pop();
        }
        self.taken = 0;
        self.ready.clear();
        for unit in char::decode_utf16(units) {
            let unit = unit.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.ready.extend_from_slice(unit.encode_utf8(&mut [0; 4]).as_bytes());
        }
        // Nothing ready means the end to a caller.
        if read > 0 && self.ready.is_empty() { self.fill() } else { Ok(()) }
    }
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready.len() {
            self.fill()?;
        }
        let read = (&self.ready[self.taken..]).read(to)?;
        self.taken += read;
        Ok(read)
    }
}
