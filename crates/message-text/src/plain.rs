//! Converter of Markdown into single-line plain text, for cards, rows and titles. It is a light stripper, not a parser.
//! It runs over every message of a log and stops when it has enough text.

use hangul::syllable::is_syllable;

/// At most `max` characters of a text on one line, without markdown, mentions and directives; `…` when it was cut.
#[must_use]
pub fn preview(text: &str, max: usize) -> String {
    let mut out = PlainLine { text: String::with_capacity(max.min(text.len()) + 4), chars: 0, max };
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => out.push_words(trimmed),
            (None, None) => inline(block_content(trimmed), &mut out),
        }
        out.space();
        if out.full() {
            break;
        }
    }
    out.finish()
}

/// One line being filled; white space collapses.
struct PlainLine {
    text: String,
    chars: usize,
    max: usize,
}

impl PlainLine {
    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.space();
        } else if !c.is_control() {
            self.text.push(c);
            self.chars += 1;
        }
    }

    fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
            self.chars += 1;
        }
    }

    fn push_words(&mut self, words: &str) {
        for c in words.chars() {
            if self.full() {
                break;
            }
            self.push(c);
        }
    }

    /// Takes the letters (Latin and Hangul syllables) and digits that `rest` begins with, as far as there is room; hands them back. Nearly all of a
    /// text is such, and none of it means anything to the stripper.
    fn push_plain<'a>(&mut self, rest: &'a str) -> &'a str {
        let plain = |c: char| c.is_ascii_alphanumeric() || is_syllable(c);
        let room = (self.max + 2).saturating_sub(self.chars);
        let mut end = 0;
        for (at, c) in rest.char_indices().take(room).take_while(|(_, c)| plain(*c)) {
            end = at + c.len_utf8();
            self.chars += 1;
        }
        let taken = rest.get(..end).unwrap_or_default();
        self.text.push_str(taken);
        taken
    }

    fn full(&self) -> bool {
        self.chars > self.max + 1
    }

    fn finish(mut self) -> String {
        let length = self.text.trim_end().len();
        self.text.truncate(length);
        if self.text.chars().count() > self.max {
            let cut: String = self.text.chars().take(self.max.saturating_sub(1)).collect();
            return format!("{}…", cut.trim_end());
        }
        self.text
    }
}

/// What a line says without its block marks: heading, quote, list, check box, table bars, rule.
fn block_content(line: &str) -> &str {
    let mut rest = line;
    loop {
        let before = rest;
        rest = rest.strip_prefix('>').unwrap_or(rest).trim_start();
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        if (1..=6).contains(&hashes) && rest.get(hashes..).is_some_and(|tail| tail.is_empty() || tail.starts_with(' '))
        {
            rest = rest.get(hashes..).unwrap_or_default().trim_start();
        }
        for bullet in ["- ", "* ", "+ ", "-# "] {
            rest = rest.strip_prefix(bullet).unwrap_or(rest).trim_start();
        }
        for check in ["[ ] ", "[x] ", "[X] "] {
            rest = rest.strip_prefix(check).unwrap_or(rest).trim_start();
        }
        if rest == before {
            break;
        }
    }
    let rule = rest.len() >= 3 && rest.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | '|' | ':' | ' '));
    if rule { "" } else { rest }
}

fn inline(line: &str, out: &mut PlainLine) {
    let table_row = line.starts_with('|') && line.ends_with('|') && line.len() > 1;
    let mut rest = line;
    let mut previous = ' ';
    while let Some(c) = rest.chars().next() {
        if out.full() {
            return;
        }
        let plain = out.push_plain(rest);
        if let Some(last) = plain.chars().next_back() {
            previous = last;
            rest = rest.get(plain.len()..).unwrap_or_default();
            continue;
        }
        let step = match c {
            '\\' => escaped(rest, out),
            '`' => Some(c.len_utf8()),
            '|' if rest.starts_with("||") && !table_row => Some(2),
            '|' if table_row => {
                out.space();
                Some(1)
            }
            '*' | '~' | '_' if is_mark(c, rest, previous) => Some(1),
            '!' if rest.starts_with("![") => link(rest.get(1..).unwrap_or_default(), out).map(|length| length + 1),
            '[' => directive(rest).or_else(|| link(rest, out)),
            '<' => angle(rest, out),
            _ => None,
        };
        let length = step.unwrap_or_else(|| {
            out.push(c);
            c.len_utf8()
        });
        previous = rest.get(..length).and_then(|eaten| eaten.chars().next_back()).unwrap_or(c);
        rest = rest.get(length..).unwrap_or_default();
    }
}

fn escaped(rest: &str, out: &mut PlainLine) -> Option<usize> {
    let next = rest.chars().nth(1).filter(char::is_ascii_punctuation)?;
    out.push(next);
    Some(2)
}

/// An emphasis mark: a doubled one always, `*` unless it is between spaces (2 * 3), `_` only at a word's edge.
fn is_mark(c: char, rest: &str, previous: char) -> bool {
    let next = rest.chars().nth(1).unwrap_or(' ');
    match c {
        '~' => next == '~' || previous == '~',
        '_' => next == '_' || previous == '_' || !(previous.is_alphanumeric() && next.is_alphanumeric()),
        _ => !(previous.is_whitespace() && next.is_whitespace()),
    }
}

/// `[text](address)` → its text; nothing for any other bracket.
fn link(rest: &str, out: &mut PlainLine) -> Option<usize> {
    let label_end = rest.find("](")?;
    let label = rest.get(1..label_end)?;
    if label.contains(['[', ']']) {
        return None;
    }
    let address = rest.get(label_end + 2..)?;
    let end = address.find(')')?;
    out.push_words(label.trim_matches(|c| matches!(c, '*' | '`' | '_')));
    Some(label_end + 2 + end + 1)
}

/// `[[reply_to_current]]` and its like.
fn directive(rest: &str) -> Option<usize> {
    let tag = super::markers::directive(rest)?;
    let plain = tag.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-' | ' '));
    plain.then_some(tag.len() + 4)
}

/// Discord forms vanish, an emoji keeps its name's place empty, `<https://…>` keeps its address.
fn angle(rest: &str, out: &mut PlainLine) -> Option<usize> {
    let end = rest.find('>').filter(|end| *end <= 200)?;
    let inner = rest.get(1..end)?;
    if inner.starts_with("http://") || inner.starts_with("https://") {
        out.push_words(inner);
        return Some(end + 1);
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let discord = ["@!", "@&", "@", "#"].iter().find_map(|mark| inner.strip_prefix(mark)).is_some_and(digits)
        || inner.strip_prefix("t:").is_some_and(|time| digits(time.split(':').next().unwrap_or_default()))
        || inner
            .strip_prefix("a:")
            .or_else(|| inner.strip_prefix(':'))
            .is_some_and(|emoji| emoji.rsplit_once(':').is_some_and(|(name, id)| !name.is_empty() && digits(id)));
    discord.then_some(end + 1)
}
