//! Parser of Discord syntax and of bare addresses in plain text (`contract/events.md` §7.5). It is never applied to
//! code.

use super::host::Host;
use super::link;
use super::tree::{Inline, LinkTarget};
use hangul::syllable::is_syllable;

type PeopleLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A `<…>` longer than this is no form.
const MAX_ANGLE: usize = 2100;

/// Splits a text into plain text and special forms. Returns how many bytes were examined, which grows with
/// the text's length and no faster.
pub(super) fn split(text: &str, people: PeopleLookup<'_>, out: &mut Vec<Inline>) -> usize {
    let mut scan = DiscordScanner::new(text, people);
    let mut plain_from = 0;
    let mut previous = ' ';
    while let Some(c) = scan.rest().chars().next() {
        let at = scan.at;
        let found = match c {
            '<' => scan.angle(),
            '@' if !previous.is_alphanumeric() => everyone(scan.rest()),
            '|' => scan.spoiler(),
            '*' => scan.strong(previous),
            'h' if !previous.is_alphanumeric() || !previous.is_ascii() => scan.address(),
            _ => None,
        };
        previous = c;
        match found {
            Some((inline, length)) => {
                flush(text.get(plain_from..at), out);
                out.push(inline);
                scan.at = at + length;
                plain_from = scan.at;
            }
            // An address that is not followed was passed over whole.
            None => scan.at = scan.at.max(at + c.len_utf8()),
        }
    }
    flush(text.get(plain_from..), out);
    scan.looked + text.len()
}

fn flush(plain: Option<&str>, out: &mut Vec<Inline>) {
    out.extend(plain.filter(|plain| !plain.is_empty()).map(|plain| Inline::Text { text: plain.to_owned() }));
}

/// A position in a text, and the next closing marks: each is searched for once, however often its opening
/// mark is repeated.
struct DiscordScanner<'t, 'p> {
    text: &'t str,
    people: PeopleLookup<'p>,
    at: usize,
    looked: usize,
    angle: usize,
    bars: usize,
    stars: usize,
}

impl<'t, 'p> DiscordScanner<'t, 'p> {
    fn new(text: &'t str, people: PeopleLookup<'p>) -> Self {
        Self { text, people, at: 0, looked: 0, angle: 0, bars: 0, stars: 0 }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Next position of `mark` from `from` on, given the result of the last search; the text's end when there is none.
    fn next(&mut self, known: usize, mark: &str, from: usize) -> usize {
        if known >= from && known > 0 {
            return known;
        }
        let found = self.text.get(from..).and_then(|rest| rest.find(mark)).map_or(self.text.len(), |at| from + at);
        self.looked += found.saturating_sub(from);
        found
    }

    fn angle(&mut self) -> Option<(Inline, usize)> {
        self.angle = self.next(self.angle, ">", self.at);
        let length = (self.angle < self.text.len()).then_some(self.angle + 1 - self.at)?;
        let form = self.rest().get(..length).filter(|_| length <= MAX_ANGLE)?;
        // Another `<` before the end: this one opens nothing.
        if form.get(1..)?.contains('<') {
            return None;
        }
        self.looked += length;
        angle(form, self.people).map(|form| (form, length))
    }

    fn spoiler(&mut self) -> Option<(Inline, usize)> {
        if !self.rest().starts_with("||") {
            return None;
        }
        let from = self.at + 2;
        self.bars = self.next(self.bars, "||", from);
        let inner = self.text.get(from..self.bars).filter(|inner| !inner.is_empty() && self.bars < self.text.len())?;
        let mut content = Vec::new();
        // The inside holds no `||`, so this goes one level deep at most.
        self.looked += split(inner, self.people, &mut content);
        Some((Inline::Spoiler { content }, inner.len() + 4))
    }

    /// `**결제(API)**를`: between a bracket and a Hangul syllable CommonMark sees no end of emphasis, the writer does.
    fn strong(&mut self, previous: char) -> Option<(Inline, usize)> {
        if !self.rest().starts_with("**") {
            return None;
        }
        let from = self.at + 2;
        self.stars = self.next(self.stars, "**", from);
        let inner_text = self.text.get(from..self.stars).filter(|_| self.stars < self.text.len())?;
        self.looked += inner_text.len();
        let follows = self.text.get(self.stars + 2..).and_then(|rest| rest.chars().next());
        let in_korean = is_syllable(previous) || follows.is_some_and(is_syllable);
        if !in_korean || inner_text.is_empty() || inner_text.trim() != inner_text || inner_text.contains('\n') {
            return None;
        }
        let mut content = Vec::new();
        self.looked += split(inner_text, self.people, &mut content);
        Some((Inline::Strong { content }, inner_text.len() + 4))
    }

    fn address(&mut self) -> Option<(Inline, usize)> {
        let length = link::bare(self.rest())?;
        let words = self.rest().get(..length)?;
        self.looked += length;
        match link::safe(words) {
            Some((href, host)) => Some((autolink(words, href, host), length)),
            // Its parts are not tried again: they would be scanned once for each address inside.
            None => {
                self.at += length;
                None
            }
        }
    }
}

fn autolink(words: &str, href: String, host: Host) -> Inline {
    Inline::Link {
        to: LinkTarget { shows_address: link::shows_address(words, &href, &host), href, host, misleading: false },
        content: vec![Inline::Text { text: words.to_owned() }],
    }
}

/// A whole `<…>` that the parser took for HTML, read as a form if it is one.
pub(super) fn whole(text: &str, people: PeopleLookup<'_>) -> Option<Inline> {
    angle(text, people).filter(|_| text.len() <= MAX_ANGLE)
}

/// What a whole `<…>` is.
fn angle(form: &str, people: PeopleLookup<'_>) -> Option<Inline> {
    let inner = form.strip_prefix('<')?.strip_suffix('>').filter(|inner| !inner.contains('>'))?;
    if let Some(id) = inner.strip_prefix("@&") {
        snowflake(id).map(|_| Inline::Role)
    } else if let Some(id) = inner.strip_prefix("@!").or_else(|| inner.strip_prefix('@')) {
        snowflake(id).map(|id| Inline::Mention { name: people(id) })
    } else if let Some(id) = inner.strip_prefix('#') {
        snowflake(id).map(|_| Inline::Channel)
    } else if let Some(time) = inner.strip_prefix("t:") {
        stamp(time)
    } else if let Some(emoji) = inner.strip_prefix("a:").or_else(|| inner.strip_prefix(':')) {
        let (name, id) = emoji.split_once(':')?;
        let word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        snowflake(id).filter(|_| word).map(|_| Inline::Emoji { name: name.to_owned() })
    } else {
        let bare = !inner.starts_with(char::is_whitespace) && !inner.ends_with(char::is_whitespace);
        link::safe(inner).filter(|_| bare).map(|(href, host)| autolink(inner, href, host))
    }
}

fn snowflake(id: &str) -> Option<&str> {
    ((15..=21).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit())).then_some(id)
}

/// `1771294800` with an optional style letter.
fn stamp(text: &str) -> Option<Inline> {
    let (seconds, style) = text.split_once(':').unwrap_or((text, "f"));
    let style = style.chars().next().filter(|c| style.len() == 1 && "tTdDfFR".contains(*c))?;
    let at = seconds.parse::<i64>().ok()?.checked_mul(1000).filter(|at| at.abs() <= 8_640_000_000_000_000)?;
    Some(Inline::Time { at, style })
}

fn everyone(text: &str) -> Option<(Inline, usize)> {
    let word = ["@everyone", "@here"].into_iter().find(|word| text.starts_with(word))?;
    let next = text.get(word.len()..)?.chars().next();
    (!next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_'))
        .then(|| (Inline::Everyone { text: word.to_owned() }, word.len()))
}
