//! Cache of first and last messages by transcript file, so that a list of thousands of sessions reads each file once.

use std::collections::{BTreeMap, HashMap};
use std::io;

use coordination::transcript::{HEAD_BYTES, Role, TAIL_BYTES, first_user_text, last_text};

use crate::fs::sandbox::{Dir, FileMeta};

use super::Opened;

/// Files of which the brief is kept (`contract/sessions.md` §5).
pub const KEPT: usize = 5_000;

/// The first and the last thing said in a transcript, as they are stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brief {
    /// What a person said first.
    pub first_text: Option<String>,
    /// What was said last, and by whom.
    pub last: Option<(Role, String)>,
}

/// Briefs by file. One that was not asked for longest goes when there are too many.
#[derive(Debug, Default)]
pub struct Briefs {
    cached: HashMap<String, CachedBrief>,
    /// Names by when they were asked for last.
    order: BTreeMap<u64, String>,
    asked: u64,
    read: u64,
}

#[derive(Debug)]
struct CachedBrief {
    state: State,
    brief: Brief,
    asked: u64,
}

/// The same file in the same state.
type State = ((u64, u64), u64, (i64, i64));

fn state(seen: &FileMeta) -> State {
    (seen.identity, seen.size, seen.modified)
}

impl Briefs {
    /// The brief of a transcript: `path` names it among all that are kept, `name` in its folder.
    ///
    /// # Errors
    /// When it is missing or may not be read. What was kept of it is forgotten.
    pub fn of(&mut self, folder: &Dir, path: &str, name: &str) -> io::Result<Brief> {
        let looked = folder.metadata(name).and_then(FileMeta::regular);
        let seen = looked.inspect_err(|_| self.forget(path))?;
        self.asked += 1;
        let asked = self.asked;
        if let Some(cached) = self.cached.get_mut(path).filter(|cached| cached.state == state(&seen)) {
            self.order.remove(&cached.asked);
            self.order.insert(asked, path.to_owned());
            cached.asked = asked;
            return Ok(cached.brief.clone());
        }
        self.forget(path);
        let opened = Opened::open(folder, name)?;
        let brief = opened.brief()?;
        self.read += opened.bytes_read();
        // What was opened is what is kept, whatever stands there by now.
        self.cached.insert(path.to_owned(), CachedBrief { state: state(&opened.seen()), brief: brief.clone(), asked });
        self.order.insert(asked, path.to_owned());
        if self.cached.len() > KEPT
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.cached.remove(&oldest);
        }
        Ok(brief)
    }

    fn forget(&mut self, path: &str) {
        if let Some(cached) = self.cached.remove(path) {
            self.order.remove(&cached.asked);
        }
    }

    /// How many are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cached.len()
    }

    /// None is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cached.is_empty()
    }

    /// Bytes read of files so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read
    }
}

impl Opened {
    /// The first and the last thing said: the first 8,192 and the last 16,384 bytes, no others.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn brief(&self) -> io::Result<Brief> {
        let first_text = first_user_text(&self.head(HEAD_BYTES)?, false);
        let (tail, begins) = self.tail(TAIL_BYTES)?;
        Ok(Brief { first_text, last: last_text(&tail, begins) })
    }
}
