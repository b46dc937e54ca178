//! Redaction of secrets that follow a name, such as `password=…`, `--token …` or `비밀번호: …`, and of the password in
//! `-u name:password`.

use super::SecretSpan;

/// Parts of names whose values are secret.
const NAMES: [&str; 21] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "apikey",
    "access_key",
    "private_key",
    "credential",
    "authorization",
    "accesskey",
    "privatekey",
    "account_key",
    "accountkey",
    "signing_key",
    "encryption_key",
    "encryptionkey",
    "mnemonic",
    "sshpass",
    "sessid",
];
/// Ends of names that are secret by themselves: signatures of cloud addresses.
const SIGNED: &str = "amz_signature";
/// Words before `_KEY` whose value is no secret: `PRIMARY_KEY=id`.
const PLAIN_KEYS: [&str; 24] = [
    "primary",
    "foreign",
    "public",
    "sort",
    "partition",
    "cache",
    "unique",
    "row",
    "hash",
    "range",
    "group",
    "index",
    "idempotency",
    "translation",
    "object",
    "event",
    "message",
    "shard",
    "storage",
    "map",
    "query",
    "column",
    "hot",
    "composite",
];
/// Programs whose key is a secret also where its name is in small letters.
const KEY_OWNERS: [&str; 8] = ["openai", "anthropic", "app", "jwt", "master", "license", "webhook", "stripe"];
/// Names by themselves, or behind the last `_` of one; too short to be looked for inside others.
const SHORT_NAMES: [&str; 3] = ["pw", "pwd", "pass"];
/// Names whose value is secret only after `=`: before a colon they are the subject of a sentence.
const ASSIGNED_NAMES: [&str; 2] = ["auth", "sig"];
/// Names whose value is the whole line.
const LINE_NAMES: [&str; 2] = ["cookie", "set-cookie"];
/// What people here call them.
const KOREAN_NAMES: [&str; 7] = ["비밀번호", "패스워드", "암호", "비번", "토큰", "시크릿", "인증키"];
/// Longest text of an XML element that is examined, in bytes.
const MAX_ELEMENT_BYTES: usize = 512;
/// Names that may be followed by a word with a digit without any mark: `비밀번호 x1`.
const UNMARKED_NAMES: [&str; 3] = ["비밀번호", "패스워드", "비번"];
/// Least length of a secret in a sentence, as after `비밀번호는` or `password is`, in bytes.
const MIN_SENTENCE_SECRET_BYTES: usize = 6;
/// Least length of a secret directly after `비밀번호`, in bytes.
const MIN_UNMARKED_SECRET_BYTES: usize = 2;
/// Longest name, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// A name of something secret, as a text begins with it.
struct SecretName {
    length: usize,
    /// `--name`: its value may follow a blank alone.
    option: bool,
    /// Its value is the whole line.
    line: bool,
    /// Only `=` makes it one.
    assigned: bool,
}

fn name(text: &str) -> Option<SecretName> {
    let begin = text.as_bytes().get(..=MAX_NAME_BYTES).unwrap_or(text.as_bytes());
    let ends = |b: &u8| !b.is_ascii_alphanumeric() && !matches!(b, b'_' | b'-');
    let length = begin.iter().position(ends).unwrap_or(begin.len());
    if length == 0 || length > MAX_NAME_BYTES {
        return None;
    }
    let (kind, option) = (kind_of(&text[..length])?, text.starts_with("--"));
    Some(SecretName { length, option, line: kind == SecretNameKind::Line, assigned: kind == SecretNameKind::Assigned })
}

/// What a name says of its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SecretNameKind {
    Secret,
    /// Its value is the whole line.
    Line,
    /// Only where `=` follows.
    Assigned,
}

fn kind_of(written: &str) -> Option<SecretNameKind> {
    // Headers and options join words otherwise.
    let name = written.trim_start_matches('-').to_ascii_lowercase();
    let joined = name.replace('-', "_");
    let last = joined.rsplit('_').next().unwrap_or(&joined);
    if LINE_NAMES.contains(&&*name) || joined.contains("authorization") {
        return Some(SecretNameKind::Line);
    }
    let key = joined.strip_suffix("_key").and_then(|rest| rest.rsplit('_').next()).is_some_and(|owner| {
        let is_upper_case = !written.bytes().any(|byte| byte.is_ascii_lowercase());
        if is_upper_case { !PLAIN_KEYS.contains(&owner) } else { KEY_OWNERS.contains(&owner) }
    });
    let known = NAMES.iter().any(|part| joined.contains(part)) || joined.ends_with(SIGNED);
    if known || key || SHORT_NAMES.contains(&last) {
        return Some(SecretNameKind::Secret);
    }
    ASSIGNED_NAMES.contains(&last).then_some(SecretNameKind::Assigned)
}

/// A field whose name, however it is written, says that its value is a secret.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let folded = super::FoldedSecretText::new(name);
    let name = folded.text().trim();
    let ascii = || name.len() <= MAX_NAME_BYTES && kind_of(name).is_some();
    ascii() || KOREAN_NAMES.iter().any(|korean| name.contains(korean))
}

/// The text after the quotes, backslashes and asterisks around a name.
fn skip_quotes(text: &str) -> &str {
    text.trim_start_matches(['"', '\'', '\\', '*', '`'])
}

/// `password=…`, `"api_key": "…"`, `--token …`, `Authorization: Basic …`, `<password>…</password>`.
pub(super) fn named_secret(text: &str) -> Option<SecretSpan> {
    let SecretName { length, option, line, assigned } = name(text)?;
    let rest = skip_quotes(&text[length..]);
    let spaced = rest.trim_start_matches([' ', '\t']);
    if let Some(value) = spaced.strip_prefix([':', '=']) {
        return if assigned && spaced.starts_with(':') { None } else { valued(text, value, line) };
    }
    if assigned {
        return None;
    }
    if let Some(value) = rest.strip_prefix('>') {
        let (prefix_bytes, length) =
            (text.len() - value.len(), value.bytes().take(MAX_ELEMENT_BYTES).position(|byte| byte == b'<')?);
        return (length > 0).then_some(SecretSpan { start: prefix_bytes, end: prefix_bytes + length });
    }
    if option && spaced.len() < rest.len() {
        valued(text, spaced, line)
    } else {
        in_sentence(text, spaced.strip_prefix("is ")?, MIN_SENTENCE_SECRET_BYTES)
    }
}

/// Whether another name with a value begins here.
fn is_named(text: &str) -> bool {
    let ascii = name(text).map(|name| &text[name.length..]);
    let rest = ascii.or_else(|| KOREAN_NAMES.iter().find_map(|name| text.strip_prefix(name)));
    rest.is_some_and(|rest| skip_quotes(rest).trim_start_matches([' ', '\t']).starts_with([':', '=']))
}

/// `비밀번호: …`, `비밀번호는 …`.
pub(super) fn korean(text: &str) -> Option<SecretSpan> {
    let rest = skip_quotes(KOREAN_NAMES.iter().find_map(|name| text.strip_prefix(name))?);
    match rest.trim_start_matches([' ', '\t']).strip_prefix([':', '=']) {
        Some(value) => valued(text, value, false),
        None => match rest.strip_prefix(' ').filter(|_| UNMARKED_NAMES.iter().any(|name| text.starts_with(name))) {
            Some(value) => in_sentence(text, value, MIN_UNMARKED_SECRET_BYTES),
            None => in_sentence(
                text,
                rest.strip_prefix(['는', '은', '이', '가'])?.strip_prefix(' ')?,
                MIN_SENTENCE_SECRET_BYTES,
            ),
        },
    }
}

/// The value after the mark of a name; where it is a name itself, that name's value.
fn valued(text: &str, rest: &str, line: bool) -> Option<SecretSpan> {
    let mut rest = rest.trim_start_matches([' ', '\t', '>', '=']);
    let below = rest.trim_start_matches(['\\', '|', '>', '-', ' ', '\t', '\r']);
    if below.starts_with('\n') {
        rest = below.trim_start();
    }
    let escaped = rest.starts_with('\\');
    rest = rest.trim_start_matches(['\\', ' ']);
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let value = quote.map_or(rest, |_| &rest[1..]);
    if quote.is_none() && is_named(value) {
        return None;
    }
    let prefix_bytes = text.len() - value.len();
    let length = match quote {
        Some(quote) if escaped => value.find([quote, '\n']).unwrap_or(value.len()),
        Some(quote) => closed(value, quote),
        // A header's value continues after its scheme.
        None if line => value.find(['\n', '"', '\'']).unwrap_or(value.len()),
        None => value
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '&' | '"' | '\'' | ')' | '}' | '<'))
            .unwrap_or(value.len()),
    };
    (length > 0).then_some(SecretSpan { start: prefix_bytes, end: prefix_bytes + length })
}

/// Up to the quote that closes a value, or the end of its line.
fn closed(value: &str, quote: char) -> usize {
    let mut escaped = false;
    let ends = |c: char| {
        let ends = !escaped && (c == quote || c == '\n');
        escaped = !escaped && c == '\\';
        ends
    };
    value.find(ends).unwrap_or(value.len())
}

/// A secret in a sentence: only text that is no word of a language.
fn in_sentence(text: &str, rest: &str, min_bytes: usize) -> Option<SecretSpan> {
    let value = rest.trim_start_matches([' ', '"', '\'', '`']);
    let length =
        value.find(|c: char| !c.is_ascii_graphic() || matches!(c, '"' | '\'' | '`' | ',')).unwrap_or(value.len());
    let (word, prefix_bytes) = (&value[..length], text.len() - value.len());
    let has = |of: fn(&u8) -> bool| word.bytes().any(|byte| of(&byte));
    (length >= min_bytes && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic))
        .then_some(SecretSpan { start: prefix_bytes, end: prefix_bytes + length })
}

/// `-u name:word`, as programs that fetch take it. Two numbers are a user and a group.
pub(super) fn user(text: &str) -> Option<SecretSpan> {
    let rest =
        ["-u ", "--user ", "--user=", "--proxy-user "].into_iter().find_map(|option| text.strip_prefix(option))?;
    let rest = rest.trim_start_matches(['"', '\'']);
    let word = &rest[..rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')).unwrap_or(rest.len())];
    let (name, secret) = word.split_once(':')?;
    let prefix_bytes = text.len() - rest.len() + name.len() + 1;
    secret
        .bytes()
        .any(|byte| !byte.is_ascii_digit())
        .then_some(SecretSpan { start: prefix_bytes, end: prefix_bytes + secret.len() })
}
