//! Names that look like others: the skeleton of a name (Unicode TS39 §4) over the characters that can be taken for
//! ASCII or for the letters of Hangul. Two names with a skeleton in common look alike.
//!
//! `table.bin` is made by `tests/lookalike.rs` from the tables of the crate `unicode-security`, and checked against them.

use std::sync::LazyLock;

use super::hidden;
use crate::ids::AgentId;

/// Names with more characters that show themselves look like no agent's.
const MAX_SHOWN: usize = 64;

/// Characters and what they look like, by code point. In the file: for each the distance from the one before and the
/// length of the text, as numbers of seven bits a byte, and the text.
static TABLE: LazyLock<Vec<(char, &'static str)>> = LazyLock::new(|| read(include_bytes!("lookalike/table.bin")));

fn read(bytes: &'static [u8]) -> Vec<(char, &'static str)> {
    let mut out = Vec::new();
    let (mut rest, mut code) = (bytes, 0);
    while let Some((char, text, after)) = entry(rest, code) {
        out.push((char, text));
        (rest, code) = (after, u32::from(char));
    }
    out
}

fn entry(bytes: &'static [u8], before: u32) -> Option<(char, &'static str, &'static [u8])> {
    let (step, rest) = number(bytes)?;
    let (length, rest) = number(rest)?;
    let (text, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    Some((char::from_u32(before + step)?, std::str::from_utf8(text).ok()?, rest))
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (mut value, mut rest) = (0, bytes);
    loop {
        let (byte, after) = rest.split_first()?;
        value = (value << 7) | u32::from(byte & 0x7f);
        rest = after;
        if byte & 0x80 == 0 {
            return Some((value, rest));
        }
    }
}

/// What a name looks like: hidden characters dropped, syllables of Hangul taken apart, every character as the plainest
/// one that looks the same. For comparing, never for showing.
#[must_use]
pub fn skeleton(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.trim().chars().filter(|c| !hidden::is_hidden(*c)) {
        match syllable(c) {
            Some(parts) => parts.into_iter().flatten().for_each(|part| push(part, &mut out)),
            None if c.is_whitespace() => out.push(' '),
            None => push(c, &mut out),
        }
    }
    out
}

fn push(c: char, out: &mut String) {
    match TABLE.binary_search_by_key(&c, |(char, _)| *char) {
        Ok(at) => out.push_str(TABLE.get(at).map_or("", |(_, text)| text)),
        Err(_) => out.push(c),
    }
}

/// The letters of a syllable of Hangul.
fn syllable(c: char) -> Option<[Option<char>; 3]> {
    let index = u32::from(c).checked_sub(0xac00).filter(|index| *index < 11_172)?;
    let last = index % 28;
    Some([
        char::from_u32(0x1100 + index / 588),
        char::from_u32(0x1161 + index % 588 / 28),
        char::from_u32(0x11a7 + last).filter(|_| last > 0),
    ])
}

/// A name's skeletons: as it is written, in small letters, and with `i` for `l`: ids are put into small letters when a
/// log is read, and a capital `I` that looked like an `l` is an `i` from then on.
type Looks = [String; 3];

fn looks(name: &str) -> Looks {
    let small = skeleton(&name.to_lowercase()).to_lowercase();
    [skeleton(name).to_lowercase(), small.replace('i', "l"), small]
}

fn alike(a: &Looks, b: &Looks) -> bool {
    a.iter().any(|look| !look.is_empty() && b.contains(look))
}

/// What a name shows of itself; nothing when that is more than an agent's name. However many characters it hides, they
/// are passed over once.
fn shown(name: &str) -> Option<String> {
    let mut showing = name.trim().chars().filter(|c| !hidden::is_hidden(*c));
    let shown = showing.by_ref().take(MAX_SHOWN).collect();
    showing.next().is_none().then_some(shown)
}

/// Somebody who is known: listed in the configuration, or owner of a folder.
#[derive(Debug, Clone)]
struct Known {
    id: AgentId,
    name: String,
    /// The operator gave this name; any other an agent can write into its own folder.
    given: bool,
    id_looks: Looks,
    name_looks: Looks,
}

/// Everybody who is known, to tell who only looks like them.
#[derive(Debug, Clone, Default)]
pub struct Faces {
    known: Vec<Known>,
}

impl Faces {
    /// Adds somebody known, in display order. `given` is true when the operator gave the name.
    pub fn add(&mut self, id: &AgentId, name: &str, given: bool) {
        let (id_looks, name_looks) = (looks(id.as_str()), looks(name));
        self.known.push(Known { id: id.clone(), name: name.to_owned(), given, id_looks, name_looks });
    }

    /// Whom this agent looks like without being them. A stranger must look like nobody at all; somebody known may have
    /// any id, but no other's name, unless the operator gave both the same.
    #[must_use]
    pub fn imitated(&self, id: &AgentId) -> Option<&AgentId> {
        let found = match self.known.iter().position(|known| known.id == *id) {
            Some(at) => self.known.get(at).and_then(|me| self.of_known(me, at)),
            None => {
                let mine = looks(&shown(id.as_str())?);
                self.known.iter().find(|known| alike(&mine, &known.id_looks) || alike(&mine, &known.name_looks))
            }
        };
        found.map(|known| &known.id)
    }

    fn of_known(&self, me: &Known, at: usize) -> Option<&Known> {
        // Who is called by its own id imitates nobody, even where another bears that id as a name.
        if alike(&me.name_looks, &me.id_looks) {
            return None;
        }
        // Whoever was given a name by the operator comes before whoever took one, then the first before the next.
        let first = |other: &Known, place: usize| (!other.given, place) < (!me.given, at);
        let same_given = |other: &Known| me.given && other.given && me.name == other.name;
        let others = self.known.iter().enumerate().filter(|(place, other)| *place != at && !same_given(other));
        let mut looks_like = others.filter(|(place, other)| {
            alike(&me.name_looks, &other.id_looks) || (first(other, *place) && alike(&me.name_looks, &other.name_looks))
        });
        looks_like.next().map(|(_, other)| other)
    }
}
