//! Faults of evidence files, and the places of lines that they name.

use std::fmt;

/// What is wrong with an evidence file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvidenceFault {
    /// It is no evidence file, or only the beginning of one.
    NotEvidence,
    /// It has this version, which this build cannot read.
    UnknownVersion(u32),
    /// A byte was changed, added or removed: the hash of the whole differs.
    Changed,
    /// The same, of the page around the lines; the lines are whole.
    ChangedPage,
    /// This line of the evidence file cannot be read, counted from 1.
    BadLine(usize),
    /// The header says another number of lines than there are.
    WrongCount {
        /// What the header says.
        said: u32,
        /// What there is.
        found: u32,
    },
    /// A line is out of order, given twice, or names no file of the header.
    WrongPlace(LinePlace),
    /// The text of a line is not the one of its hash.
    WrongHash(LinePlace),
    /// A line is not in the log files.
    NotInLog(LinePlace),
    /// A masked line is masked in another way than masking does it.
    WrongMask(LinePlace),
    /// A line of the log belongs to the scope and is not in the evidence file.
    Missing(LinePlace),
    /// A line of the evidence file does not belong to its scope.
    OutOfScope(LinePlace),
}

impl fmt::Display for EvidenceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotEvidence => f.write_str("This is no evidence file, or only a part of one."),
            Self::UnknownVersion(version) => write!(f, "This program cannot read version {version}."),
            Self::Changed => f.write_str("The file was changed: the hash of its bytes differs."),
            Self::ChangedPage => f.write_str(
                "The page around the lines was changed: the hash of its bytes differs. The lines are whole in themselves.",
            ),
            Self::BadLine(number) => write!(f, "line {number} of the file cannot be read"),
            Self::WrongCount { said, found } => write!(f, "the file says {said} lines and has {found}"),
            Self::WrongPlace(place) => write!(f, "{place}: out of order, given twice, or of no file"),
            Self::WrongHash(place) => write!(f, "{place}: the text does not have the hash of the line"),
            Self::NotInLog(place) => write!(f, "{place}: the log has another line there, or none"),
            Self::WrongMask(place) => write!(f, "{place}: masked in another way"),
            Self::Missing(place) => write!(f, "{place}: a line of the log that belongs to it is missing"),
            Self::OutOfScope(place) => write!(f, "{place}: the line does not belong to it"),
        }
    }
}

/// Place of a line in a log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinePlace {
    /// Name of the file.
    pub file: String,
    /// Its first byte.
    pub offset: u64,
}

impl fmt::Display for LinePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, byte {}", self.file.escape_debug(), self.offset)
    }
}
