//! Parser for the target of a link: the host of an http or https URL, by the rules of browsers (WHATWG URL, "host
//! parsing"), or the recipients of a mail link. A target that is built to mislead is flagged as suspicious. A target
//! that cannot be determined gives no link; the link's text stays.

use core::net::{Ipv4Addr, Ipv6Addr};

use super::punycode;
use hangul::syllable::is_syllable;

/// The most a host may be long, and each of its labels (RFC 1035).
const MAX_HOST: usize = 253;
const MAX_LABEL: usize = 63;

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// For people: letters only where they can be taken for no others (ASCII, Hangul, Han, Kana), else Punycode. Of a
    /// mail link the addresses.
    pub shown: String,
    /// For the web exactly what `new URL(href).host` is: ASCII, with the port unless it is the scheme's own. Of a mail
    /// link the addresses as written.
    pub ascii: String,
    /// Built to be read as something else: a user name before the host, letters shown as Punycode, an address of
    /// numbers in an odd form, slashes the wrong way round.
    pub suspicious: bool,
}

/// The host of an http or https address, or the addresses of a mail link; nothing when a browser would not go there, or
/// when its target cannot be determined.
#[must_use]
pub fn host(href: &str) -> Option<Host> {
    let (scheme, rest) = href.split_once(':')?;
    let own_port = match scheme.to_ascii_lowercase().as_str() {
        "http" => 80,
        "https" => 443,
        "mailto" => return mail(rest),
        _ => return None,
    };
    // A browser takes any number of slashes of either kind here.
    let after = rest.trim_start_matches(['/', '\\']);
    let odd_slashes = !rest.starts_with("//") || rest.len() - after.len() != 2;
    let end = after.find(['/', '\\', '?', '#']).unwrap_or(after.len());
    let authority = after.get(..end)?;
    let backslash = after.get(end..).is_some_and(|path| path.starts_with('\\'));
    let (user, place) = authority.rsplit_once('@').map_or((None, authority), |(user, place)| (Some(user), place));
    let (name, port) = with_port(place)?;
    let port = port.filter(|port| *port != own_port).map(|port| format!(":{port}")).unwrap_or_default();
    let read = if name.starts_with('[') { six(name)? } else { domain(name)? };
    Some(Host {
        shown: format!("{}{port}", read.shown),
        ascii: format!("{}{port}", read.ascii),
        suspicious: read.suspicious || user.is_some() || odd_slashes || backslash,
    })
}

/// The addresses of a mail. Whatever can name more of them makes it suspicious: signs in the address, and a query with
/// any of the fields `to`, `cc`, `bcc` or with one whose name is written to be read as something else.
fn mail(rest: &str) -> Option<Host> {
    let rest = rest.split('#').next()?;
    let (addresses, query) = rest.split_once('?').unwrap_or((rest, ""));
    if !addresses.contains('@') {
        return None;
    }
    let odd = !addresses.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"@.-_+".contains(&byte));
    let name = |field: &str| field.split('=').next().unwrap_or_default().to_ascii_lowercase();
    let harmless = |field| matches!(name(field).as_str(), "" | "subject" | "body" | "in-reply-to");
    // A program may take other signs for the `&` between fields.
    let more = |field| matches!(name(field).as_str(), "to" | "cc" | "bcc");
    let adds = !query.split('&').all(harmless) || query.split([';', '?']).any(more);
    let suspicious = odd || adds || addresses.matches('@').count() > 1;
    Some(Host { shown: addresses.to_owned(), ascii: addresses.to_owned(), suspicious })
}

/// The name and the port behind it; nothing when the port is invalid.
fn with_port(place: &str) -> Option<(&str, Option<u16>)> {
    let name_end = if place.starts_with('[') { place.find(']')? + 1 } else { place.find(':').unwrap_or(place.len()) };
    let (name, rest) = place.split_at_checked(name_end)?;
    let digits = match rest.strip_prefix(':') {
        Some(digits) => digits,
        None if rest.is_empty() => "",
        None => return None,
    };
    if digits.is_empty() {
        return Some((name, None));
    }
    let number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let digits = digits.trim_start_matches('0');
    let port = if digits.is_empty() { Some(0) } else { digits.parse().ok() };
    Some((name, Some(port.filter(|_| number)?)))
}

struct ParsedHost {
    shown: String,
    ascii: String,
    suspicious: bool,
}

fn domain(name: &str) -> Option<ParsedHost> {
    if name.is_empty() || name.len() > MAX_HOST * 4 {
        return None;
    }
    let dotted = name.strip_suffix('.');
    let labels: Vec<Label> = dotted.unwrap_or(name).split('.').map(label).collect::<Option<_>>()?;
    let join = |of: fn(&Label) -> &str| {
        let mut out = labels.iter().map(of).collect::<Vec<_>>().join(".");
        if dotted.is_some() {
            out.push('.');
        }
        out
    };
    let ascii = join(|label| &label.ascii);
    if let Some(last) = labels.last()
        && is_number(&last.ascii)
    {
        let address = four(ascii.strip_suffix('.').unwrap_or(&ascii))?.to_string();
        return Some(ParsedHost { shown: address.clone(), suspicious: address != name, ascii: address });
    }
    let shown = join(|label| label.shown.as_deref().unwrap_or(&label.ascii));
    (ascii.len() <= MAX_HOST).then(|| ParsedHost { suspicious: shown.contains("xn--"), shown, ascii })
}

struct Label {
    ascii: String,
    /// In its own letters, when those may be shown.
    shown: Option<String>,
}

fn label(written: &str) -> Option<Label> {
    let lower = written.chars().map(lower).collect::<Option<String>>().filter(|lower| !lower.is_empty())?;
    let (ascii, own) = if let Some(code) = lower.strip_prefix("xn--") {
        let own = spelled(code)?;
        (lower, Some(own))
    } else if lower.is_ascii() {
        (lower, None)
    } else {
        (format!("xn--{}", punycode::encode(&lower)?), Some(lower))
    };
    let shown = own.filter(|own| is_showable(own));
    (ascii.len() <= MAX_LABEL).then_some(Label { ascii, shown })
}

/// Text of a Punycode label; nothing when it is invalid, or has letters that are not supported.
fn spelled(code: &str) -> Option<String> {
    let letters = punycode::decode(code).filter(|letters| !letters.is_ascii())?;
    let readable = letters.chars().all(|c| lower(c) == Some(c));
    (readable && punycode::encode(&letters).as_deref() == Some(code)).then_some(letters)
}

/// A character as a host has it, in lower case; nothing for one that is not read here.
fn lower(c: char) -> Option<char> {
    // Capitals beyond these become something else in a host than a lower-case letter.
    let capital = matches!(u32::from(c), 0xc0..=0x12f | 0x132..=0x17e | 0x386..=0x3ab | 0x400..=0x42f);
    let lower = if c.is_ascii() || capital { c.to_lowercase().next()? } else { c };
    (is_ascii_part(lower) || is_itself(lower)).then_some(lower)
}

fn is_ascii_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

/// Letters, in lower case, that are unchanged in a host (UTS 46: valid, and unchanged by normalisation). Others
/// would need the whole table.
fn is_itself(c: char) -> bool {
    is_cjk(c)
        || match u32::from(c) {
            0xdf..=0xff => c != '\u{f7}',
            // The ligature ĳ, ŀ, ŉ and ſ become other letters.
            0x100..=0x17e => c.is_lowercase() && !matches!(c, '\u{133}' | '\u{140}' | '\u{149}'),
            0x3ac..=0x3ce | 0x430..=0x45f | 0x4cf => true,
            _ => false,
        }
}

fn is_cjk(c: char) -> bool {
    is_syllable(c) || is_kana(c) || matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}')
}

/// Han and Kana that can be taken for each other, for a stroke, a dash or a slash (UTS 39), by code point.
const LIKE_OTHERS: &[u32] = &[
    0x3078, 0x3079, 0x307a, 0x30a8, 0x30ab, 0x30bf, 0x30c8, 0x30cb, 0x30ce, 0x30cf, 0x30d8, 0x30d9, 0x30da, 0x30df,
    0x30e1, 0x30ed, 0x30fc, 0x30bb, 0x30d2, 0x4e00, 0x4e28, 0x4e36, 0x4e3f, 0x4e85, 0x4e8c, 0x516b, 0x529b, 0x5315,
    0x535c, 0x53e3, 0x56d7, 0x5915, 0x5de5, 0x5f61, 0x4e59, 0x4e2b,
];

/// No confusion with another host is possible: ASCII with Hangul, or with Han and Kana, none of them like others.
fn is_showable(label: &str) -> bool {
    let known = label.chars().all(|c| c.is_ascii() || is_cjk(c));
    let mixed = label.chars().any(is_syllable) && label.chars().any(is_kana);
    known && !mixed && !label.chars().any(|c| LIKE_OTHERS.contains(&u32::from(c)))
}

/// The last label makes the whole an address of numbers.
fn is_number(label: &str) -> bool {
    let digits = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
    digits || label.strip_prefix("0x").is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// `127.0.0.1`, `0x7f.1`, `2130706433`: what old C libraries took for an address, and browsers still do.
fn four(name: &str) -> Option<Ipv4Addr> {
    let parts = name.split('.').map(part).collect::<Option<Vec<u64>>>()?;
    let (last, first) = parts.split_last()?;
    let places = u32::try_from(first.len()).ok().filter(|places| *places <= 3)?;
    if *last >= 256_u64.pow(4 - places) || first.iter().any(|part| *part > 255) {
        return None;
    }
    let high = first.iter().zip((0..4_u32).rev()).map(|(part, place)| part << (8 * place)).sum::<u64>();
    u32::try_from(high + last).ok().map(Ipv4Addr::from)
}

fn part(text: &str) -> Option<u64> {
    if let Some(hex) = text.strip_prefix("0x") {
        return if hex.is_empty() { Some(0) } else { u64::from_str_radix(hex, 16).ok() };
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let octal = text.len() > 1 && text.starts_with('0');
    u64::from_str_radix(text, if octal { 8 } else { 10 }).ok()
}

/// `[::1]`, written as browsers write it: the longest run of zeros left out, never an IPv4 tail.
fn six(name: &str) -> Option<ParsedHost> {
    let inner = name.strip_prefix('[')?.strip_suffix(']')?;
    let segments = inner.parse::<Ipv6Addr>().ok()?.segments();
    let run = |from: usize| segments.iter().skip(from).take_while(|part| **part == 0).count();
    let (mut best, mut length) = (0, 0);
    for from in 0..segments.len() {
        if run(from) > length {
            (best, length) = (from, run(from));
        }
    }
    let hex = |parts: &[u16]| parts.iter().map(|part| format!("{part:x}")).collect::<Vec<_>>().join(":");
    let text = if length > 1 {
        format!("[{}::{}]", hex(segments.get(..best)?), hex(segments.get(best + length..)?))
    } else {
        format!("[{}]", hex(&segments))
    };
    Some(ParsedHost { shown: text.clone(), suspicious: text != name.to_ascii_lowercase(), ascii: text })
}
