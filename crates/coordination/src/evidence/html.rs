//! HTML form of an evidence file: a page with the NDJSON text inside, and the hash of all bytes before in the last line.

use super::{EvidenceFault, EvidenceFile};
use crate::digest::sha256_hex;

/// File of a dashboard's bundle that holds the page without a text.
pub const PAGE_FILE: &str = "evidence-page.txt";
/// How such a page begins.
pub const PAGE_START: &str = "<!doctype html>\n<html lang=\"ko\" data-evidence>\n";
/// Element around the text, behind its `<`: the dashboard's program may hold no markup of scripts.
const OPEN: &str = "script type=\"application/x-ndjson\" id=\"evidence\">\n";
const CLOSE: &str = "</script>";
/// The last line, around the hash.
const SEAL: (&str, &str) = ("<!-- sha256 ", " -->\n");

/// The page around the text of an evidence file. Together they show it without a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageParts {
    /// From behind [`PAGE_START`] on.
    pub before: String,
    /// To `</html>`.
    pub after: String,
}

impl EvidenceFile {
    /// The file as a page.
    #[must_use]
    pub fn to_html(&self, page: &PageParts) -> String {
        let mut html = [PAGE_START, &page.before, "<", OPEN, &self.to_text(), CLOSE, &page.after].concat();
        let hash = sha256_hex(html.as_bytes());
        html.extend([SEAL.0, &hash, SEAL.1]);
        html
    }
}

impl PageParts {
    /// The page around the text of a file that [`EvidenceFile::read`] has read, or of a page without a text; none when
    /// it is no page.
    #[must_use]
    pub fn of(file: &str) -> Option<Self> {
        let (before, _, after) = parts(file)?;
        let after = after.rsplit_once(SEAL.0).map_or(after, |(after, _)| after);
        Some(Self { before: before.to_owned(), after: after.to_owned() })
    }

    /// The page without a text: a file of the dashboard.
    #[must_use]
    pub fn without_text(&self) -> String {
        [PAGE_START, &self.before, "<", OPEN, CLOSE, &self.after].concat()
    }
}

/// What is before the text, the text, and what comes behind it. A page with several texts could show another one.
fn parts(page: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = page.strip_prefix(PAGE_START)?.split_once(OPEN)?;
    let (data, after) = rest.split_once(CLOSE)?;
    (!after.contains(OPEN)).then_some((before.strip_suffix('<')?, data, after))
}

/// The text inside a page, and whether all bytes of the page are those of its hash; none when it is no page.
///
/// # Errors
/// When it has no such text.
pub(super) fn data(page: &str) -> Result<Option<(&str, bool)>, EvidenceFault> {
    if !page.starts_with(PAGE_START) {
        return Ok(None);
    }
    let (_, data, _) = parts(page).ok_or(EvidenceFault::NotEvidence)?;
    let (sealed, seal) = page.rsplit_once(SEAL.0).ok_or(EvidenceFault::NotEvidence)?;
    Ok(Some((data, seal.strip_suffix(SEAL.1) == Some(sha256_hex(sealed.as_bytes()).as_str()))))
}
