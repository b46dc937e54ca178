//! Discord's forms and bare addresses inside plain text (`contract/events.md` §7.5). Never called for code.

use super::link;
use super::tree::Inline;

type People<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Splits a text into what it says and the forms it holds.
pub(super) fn split(text: &str, people: People<'_>, out: &mut Vec<Inline>) {
    let mut plain = String::new();
    let mut rest = text;
    let mut previous = ' ';
    while let Some(c) = rest.chars().next() {
        let found = match c {
            '<' => angle(rest, people),
            '@' if !previous.is_alphanumeric() => everyone(rest),
            '|' => spoiler(rest, people),
            '*' => strong(rest, people),
            'h' if !previous.is_alphanumeric() || !previous.is_ascii() => address(rest),
            _ => None,
        };
        let length = match found {
            Some((inline, length)) => {
                flush(&mut plain, out);
                out.push(inline);
                length
            }
            None => {
                plain.push(c);
                c.len_utf8()
            }
        };
        previous = c;
        rest = rest.get(length..).unwrap_or_default();
    }
    flush(&mut plain, out);
}

/// A whole `<…>` that the parser took for HTML, read as a form if it is one.
pub(super) fn whole(text: &str, people: People<'_>) -> Option<Inline> {
    angle(text, people).filter(|(_, length)| *length == text.len()).map(|(inline, _)| inline)
}

fn flush(plain: &mut String, out: &mut Vec<Inline>) {
    if !plain.is_empty() {
        out.push(Inline::Text { text: std::mem::take(plain) });
    }
}

fn angle(text: &str, people: People<'_>) -> Option<(Inline, usize)> {
    let end = text.find('>').filter(|end| *end <= 2100)?;
    let inner = text.get(1..end)?;
    let inline = if let Some(id) = inner.strip_prefix("@&") {
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
        let href = link::safe(inner)?;
        Some(Inline::Link { content: vec![Inline::Text { text: href.clone() }], href })
    };
    inline.map(|inline| (inline, end + 1))
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

fn spoiler(text: &str, people: People<'_>) -> Option<(Inline, usize)> {
    let inner = text.strip_prefix("||")?;
    let end = inner.find("||").filter(|end| *end > 0)?;
    let mut content = Vec::new();
    // The inside holds no `||`, so this goes one level deep at most.
    split(inner.get(..end)?, people, &mut content);
    Some((Inline::Spoiler { content }, end + 4))
}

/// `**결제(API)**를`: between a bracket and a Hangul syllable CommonMark sees no end of emphasis, the writer does.
fn strong(text: &str, people: People<'_>) -> Option<(Inline, usize)> {
    let inner = text.strip_prefix("**")?;
    let end = inner.find("**")?;
    let said = inner.get(..end).filter(|said| !said.is_empty() && said.trim() == *said && !said.contains('\n'))?;
    let mut content = Vec::new();
    split(said, people, &mut content);
    Some((Inline::Strong { content }, end + 4))
}

fn address(text: &str) -> Option<(Inline, usize)> {
    let length = link::bare(text)?;
    let href = text.get(..length)?.to_owned();
    Some((Inline::Link { content: vec![Inline::Text { text: href.clone() }], href }, length))
}
