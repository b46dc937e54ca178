//! Detector of agents whose id or name looks like that of another agent. It compares the skeletons of names (Unicode
//! TS39 §4): hidden characters are dropped, and characters that look the same become the same.
//!
//! `table.bin` holds only characters that resemble ASCII or Hangul. `crates/coordination/tests/it/lookalike.rs` writes
//! it from the tables of the crate `unicode-security`, and checks it against them.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::hidden;
use hangul::syllable::decompose;
use protocol::ids::AgentId;

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
        match decompose(c) {
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

/// The ASCII character that one of another script looks like, full-width ones included. None for ASCII itself, and where
/// it looks like several characters.
#[must_use]
pub fn ascii(c: char) -> Option<char> {
    if ('\u{ff01}'..='\u{ff5e}').contains(&c) {
        return char::from_u32(u32::from(c) - 0xfee0);
    }
    if c.is_ascii() {
        return None;
    }
    let at = TABLE.binary_search_by_key(&c, |(char, _)| *char).ok()?;
    let mut text = TABLE.get(at)?.1.chars();
    text.next().filter(|c| c.is_ascii() && text.next().is_none())
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

/// A known name: listed in the configuration, or owner of a folder.
#[derive(Debug, Clone)]
struct KnownName {
    id: AgentId,
    name: String,
    /// The operator gave this name; any other an agent can write into its own folder.
    given: bool,
    id_looks: Looks,
    name_looks: Looks,
}

/// The first of those whose id or name has one look, as positions in display order.
#[derive(Debug, Clone, Copy, Default)]
struct Bearers {
    /// The first whose name the operator did not give.
    other: Option<usize>,
    /// The first whose name the operator gave.
    given: Option<usize>,
    /// The first whose name the operator gave and wrote otherwise than that of `given`.
    given_otherwise: Option<usize>,
}

/// All known names, to find names that only look like them. Finding takes the same time however many there are.
#[derive(Debug, Clone, Default)]
pub struct Faces {
    known: Vec<KnownName>,
    by_id: HashMap<AgentId, usize>,
    by_id_look: HashMap<String, Bearers>,
    by_name_look: HashMap<String, Bearers>,
}

impl Faces {
    /// Adds a known agent, in display order. `given` is true when the operator gave the name.
    pub fn add(&mut self, id: &AgentId, name: &str, given: bool) {
        let (id_looks, name_looks) = (looks(id.as_str()), looks(name));
        let at = self.known.len();
        self.by_id.entry(id.clone()).or_insert(at);
        for (index, looks) in [(&mut self.by_id_look, &id_looks), (&mut self.by_name_look, &name_looks)] {
            for look in looks.iter().filter(|look| !look.is_empty()) {
                let bearers = index.entry(look.clone()).or_default();
                let written = |at: usize| self.known.get(at).map(|known| known.name.as_str());
                let place = match bearers.given {
                    _ if !given => &mut bearers.other,
                    Some(first) if written(first).is_some_and(|first| first != name) => &mut bearers.given_otherwise,
                    _ => &mut bearers.given,
                };
                place.get_or_insert(at);
            }
        }
        self.known.push(KnownName { id: id.clone(), name: name.to_owned(), given, id_looks, name_looks });
    }

    /// The agent that this one looks like without being it. An unknown agent must look like no known one. A known one
    /// may have any id, but no other's name, unless the operator gave both the same.
    #[must_use]
    pub fn imitated(&self, id: &AgentId) -> Option<&AgentId> {
        let found = match self.by_id.get(id) {
            Some(at) => self.known.get(*at).and_then(|me| self.of_known(me, *at)),
            None => {
                let mine = looks(&shown(id.as_str())?);
                let bearers = Self::bearers(&self.by_id_look, &mine).chain(Self::bearers(&self.by_name_look, &mine));
                bearers.flat_map(|bearers| [bearers.other, bearers.given]).flatten().min()
            }
        };
        found.and_then(|at| self.known.get(at)).map(|known| &known.id)
    }

    fn bearers<'a>(index: &'a HashMap<String, Bearers>, looks: &'a Looks) -> impl Iterator<Item = Bearers> + 'a {
        looks.iter().filter_map(|look| index.get(look).copied())
    }

    fn of_known(&self, me: &KnownName, at: usize) -> Option<usize> {
        // An agent with its own id as name imitates nobody, even where another has that id as its name.
        if alike(&me.name_looks, &me.id_looks) {
            return None;
        }
        // Agents with the same name from the operator do not imitate each other.
        let given = |bearers: &Bearers| match bearers.given {
            Some(first) if me.given && self.known.get(first).is_some_and(|first| first.name == me.name) => {
                bearers.given_otherwise
            }
            first => first,
        };
        let by_id = Self::bearers(&self.by_id_look, &me.name_looks).flat_map(|it| [it.other, given(&it)]).flatten();
        // A name given by the operator comes before one that an agent took, then the first before the next.
        let by_name = Self::bearers(&self.by_name_look, &me.name_looks).flat_map(|it| match me.given {
            true => [None, given(&it).filter(|place| *place < at)],
            false => [it.other.filter(|place| *place < at), it.given],
        });
        by_id.chain(by_name.flatten()).filter(|place| *place != at).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule as it reads, over everybody.
    fn imitated(faces: &Faces, id: &AgentId) -> Option<AgentId> {
        let known = &faces.known;
        let found = match known.iter().position(|it| it.id == *id) {
            None => {
                let mine = looks(&shown(id.as_str())?);
                known.iter().find(|it| alike(&mine, &it.id_looks) || alike(&mine, &it.name_looks))
            }
            Some(at) => {
                let me = &known[at];
                if alike(&me.name_looks, &me.id_looks) {
                    return None;
                }
                let first = |place: usize, it: &KnownName| (!it.given, place) < (!me.given, at);
                let same_given = |it: &KnownName| me.given && it.given && it.name == me.name;
                let by_name = |place: usize, it: &KnownName| first(place, it) && alike(&me.name_looks, &it.name_looks);
                let like = |place: usize, it: &KnownName| alike(&me.name_looks, &it.id_looks) || by_name(place, it);
                let mut others = known.iter().enumerate().filter(|(place, it)| *place != at && !same_given(it));
                others.find(|(place, it)| like(*place, it)).map(|(_, it)| it)
            }
        };
        found.map(|it| it.id.clone())
    }

    #[test]
    fn the_index_finds_whom_the_rule_names() {
        const NAMES: [&str; 8] = ["lia", "Iia", "iia", "1ia", "\u{43e}k", "ok", "OK", "xy"];
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut below = |bound: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % bound).unwrap()
        };
        let mut hits = 0;
        for _ in 0..2000 {
            let mut faces = Faces::default();
            for _ in 0..=below(6) {
                let id = AgentId::from(NAMES[below(8)]);
                if faces.by_id.contains_key(&id) {
                    continue;
                }
                faces.add(&id, NAMES[below(8)], below(2) == 0);
            }
            for name in NAMES {
                let id = AgentId::from(name);
                let expected = imitated(&faces, &id);
                assert_eq!(faces.imitated(&id), expected.as_ref(), "{id:?} in {:?}", faces.known);
                hits += usize::from(expected.is_some());
            }
        }
        assert!(hits > 1000, "{hits}");
    }
}
