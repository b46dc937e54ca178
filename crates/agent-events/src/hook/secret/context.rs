//! Redaction of secrets that only their context reveals: `mysql -psecret`, entries of `.netrc`, lines of `.pgpass`, and
//! URL query parameters such as `?code=…`.

use super::SecretSpan;

/// Programs that take a password glued to `-p`.
const GLUED_PASSWORD_PROGRAMS: [&str; 7] =
    ["mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mysqlsh", "mysql", "mariadb"];
/// Bytes behind `machine` or `login` within which an entry of `.netrc` continues.
const NETRC_ENTRY_BYTES: usize = 512;
/// Most bytes of a command line that are scanned.
const COMMAND_LINE_BYTES: usize = 4_096;

/// State of the scan before a position in the text.
#[derive(Debug, Default)]
pub(super) struct SecretContext {
    /// Up to here goes the command line of a program that takes `-p`.
    command_to: usize,
    /// Up to here goes an entry of `.netrc`, which has named its machine.
    entry_to: usize,
    /// A user name precedes it.
    has_login: bool,
}

impl SecretContext {
    /// The secret word at a position, if the text before it says so. Must be called in the text's order.
    pub(super) fn look(&mut self, text: &str, at: usize) -> Option<SecretSpan> {
        let rest = &text[at..];
        match rest.as_bytes().first()? {
            b'm' | b'd' | b'l' | b'p' => self.word(rest, at),
            b'-' if at < self.command_to => glued(rest),
            _ => None,
        }
    }

    fn word(&mut self, rest: &str, at: usize) -> Option<SecretSpan> {
        if at >= self.command_to && GLUED_PASSWORD_PROGRAMS.iter().any(|name| keyword(rest, name).is_some()) {
            let line = rest
                .bytes()
                .take(COMMAND_LINE_BYTES)
                .position(|byte| byte == b'\n')
                .unwrap_or(rest.len().min(COMMAND_LINE_BYTES));
            self.command_to = at + line;
        }
        if keyword(rest, "machine").is_some() || keyword(rest, "default").is_some() {
            (self.entry_to, self.has_login) = (at + NETRC_ENTRY_BYTES, false);
        } else if at < self.entry_to && keyword(rest, "login").is_some() {
            (self.entry_to, self.has_login) = (at + NETRC_ENTRY_BYTES, true);
        } else if at < self.entry_to
            && self.has_login
            && let Some(value) = keyword(rest, "password")
        {
            self.entry_to = 0;
            let length = value.find(char::is_whitespace).unwrap_or(value.len());
            let prefix_bytes = rest.len() - value.len();
            return (length > 0).then_some(SecretSpan { start: prefix_bytes, end: prefix_bytes + length });
        }
        None
    }
}

/// What follows a word and the blanks behind it.
fn keyword<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    let value = rest.trim_start_matches([' ', '\t', '\r', '\n']);
    (value.len() < rest.len()).then_some(value)
}

/// `-psecret`: a `-p` with a blank behind it asks at the terminal.
fn glued(text: &str) -> Option<SecretSpan> {
    let value = text.strip_prefix("-p")?;
    let length = value.find(char::is_whitespace).unwrap_or(value.len());
    (length > 0).then_some(SecretSpan { start: 2, end: 2 + length })
}

/// `host:port:database:user:password`, a line of `.pgpass`, where a word begins.
pub(super) fn pgpass(text: &str, before: &str) -> Option<SecretSpan> {
    if before.chars().next_back().is_some_and(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`')) {
        return None;
    }
    let mut rest = text;
    let mut fields = [""; 4];
    for field in &mut fields {
        // Longer ones are no names; a text may be one long word.
        let end = rest.bytes().take(128).position(|byte| byte == b':' || byte.is_ascii_whitespace())?;
        (*field, rest) = (&rest[..end], rest[end..].strip_prefix(':')?);
    }
    let number = |field: &str| !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
    let [host, port, database, user] = fields;
    let is_port = port == "*" || (number(port) && port.len() <= 5);
    if host.is_empty() || !is_port || database.is_empty() || number(database) || user.is_empty() || number(user) {
        return None;
    }
    let length = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`')).unwrap_or(rest.len());
    let prefix_bytes = text.len() - rest.len();
    (length > 0).then_some(SecretSpan { start: prefix_bytes, end: prefix_bytes + length })
}

/// `?code=…` and `&key=…` of an address.
pub(super) fn query(text: &str, before: &str) -> Option<SecretSpan> {
    const NAMES: [&str; 4] = ["key=", "signature=", "code=", "apikey="];
    /// Shorter values are states and numbers.
    const MIN_VALUE_BYTES: usize = 6;
    if !before.ends_with(['?', '&']) {
        return None;
    }
    let value = NAMES.iter().find_map(|name| text.strip_prefix(name))?;
    let ends = |c: char| c.is_whitespace() || matches!(c, '&' | '#' | '"' | '\'' | '`' | '<' | '>' | ')');
    let length = value.find(ends).unwrap_or(value.len());
    let prefix_bytes = text.len() - value.len();
    (length >= MIN_VALUE_BYTES).then_some(SecretSpan { start: prefix_bytes, end: prefix_bytes + length })
}
