//! Scanner of Rust source: code, comments and literals by line.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Code,
    Comment,
    /// A string or a character.
    Literal,
}

/// One stretch of a line, which is counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub line: usize,
    pub kind: Kind,
    pub text: &'a str,
}

/// The pieces of a text in order; blank ones are left out.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut line = 0;
    let mut push = |range: std::ops::Range<usize>, kind| {
        for (number, text) in text[range].split('\n').enumerate() {
            line += usize::from(number > 0);
            if !text.trim().is_empty() {
                found.push(Piece { line, kind, text });
            }
        }
    };
    let (mut at, mut code) = (0, 0);
    while let Some(found) = text[at..].find(['/', '"', '\'']) {
        at += found;
        let Some((length, kind)) = skipped(&text[at..], &text[..at]) else {
            at += 1;
            continue;
        };
        push(code..at, Kind::Code);
        push(at..at + length, kind);
        at += length;
        code = at;
    }
    push(code..text.len(), Kind::Code);
    found
}

/// Words and single signs of the code in order, each with its line; blanks separate and are left out. Of literals only
/// paths count, as attributes write them (`"crate::a::b"`).
pub(super) fn tokens(text: &str) -> Vec<(usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_path = |text: &str| ["\"crate::", "\"super::", "\"self::"].iter().any(|start| text.starts_with(start));
    let mut found = Vec::new();
    for piece in pieces(text) {
        if piece.kind == Kind::Code || (piece.kind == Kind::Literal && is_path(piece.text)) {
            for chunk in piece.text.split_inclusive(|c: char| !is_word(c)) {
                let (word, sign) = chunk.split_at(chunk.find(|c: char| !is_word(c)).unwrap_or(chunk.len()));
                let parts = [word, sign.trim()].into_iter().filter(|token| !token.is_empty());
                found.extend(parts.map(|token| (piece.line, token)));
            }
        }
    }
    found
}

/// Length of the comment, string or character that `rest` begins with, and which it is.
fn skipped(rest: &str, before: &str) -> Option<(usize, Kind)> {
    if rest.starts_with("//") {
        return Some((rest.find('\n').unwrap_or(rest.len()), Kind::Comment));
    }
    if rest.starts_with("/*") {
        return Some((block_comment(rest), Kind::Comment));
    }
    if let Some(inside) = rest.strip_prefix('"') {
        let hashes = before.len() - before.trim_end_matches('#').len();
        let prefix = before[..before.len() - hashes].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let is_raw = matches!(&before[prefix.len()..before.len() - hashes], "r" | "br" | "cr");
        let length = match is_raw {
            true => {
                let end = format!("\"{}", "#".repeat(hashes));
                inside.find(&end).map_or(inside.len(), |found| found + end.len())
            }
            false => quoted(inside, '"'),
        };
        return Some((1 + length, Kind::Literal));
    }
    // A lifetime has no closing quote behind its first letter.
    let inside = rest.strip_prefix('\'')?;
    let mut letters = inside.chars();
    let first = letters.next()?;
    (first == '\\' || letters.next() == Some('\'')).then(|| (1 + quoted(inside, '\''), Kind::Literal))
}

/// Length up to and with the closing quote.
fn quoted(inside: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in inside.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    inside.len()
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}
