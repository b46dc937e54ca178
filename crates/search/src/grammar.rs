//! Parser of the query language: words, `"exact phrases"` and `operator:value`, each negated by `-`. Errors contain the
//! range of the faulty part and the values that it may have. [`to_text`] writes a query back as text.

use std::ops::Range;

use super::class::class_of;
use super::operators::{IsValue, Operator, called, category_names, kind_names, role_names};
use super::term::Term;
use super::when::{FORMS, When};
use protocol::api::{QueryError, SearchFault, SearchKind};
use protocol::category::Category;
use protocol::role::Role;

/// Longest query, in characters.
pub const MAX_CHARS: usize = 400;
/// Most parts of a query.
pub const MAX_CLAUSES: usize = 32;

/// One part of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    /// What holds it is left out.
    pub not: bool,
    /// What it means.
    pub sense: Sense,
    /// Its value as written, without quotes.
    pub value: String,
    /// Its range in the query, in bytes.
    pub range: Range<usize>,
}

/// What a part of a query means.
#[derive(Debug, Clone, PartialEq)]
pub enum Sense {
    /// A word to find.
    Word(Term),
    /// An exact phrase.
    Phrase(Term),
    /// An operator whose value is a name or an id.
    Name(Operator, String),
    /// `role:`
    Role(Role),
    /// `is:`
    Is(IsValue),
    /// `category:` and `categories:`
    Category(Operator, Category),
    /// `before:` and `after:`
    When(Operator, When),
    /// `in:`
    In(SearchKind),
}

impl Clause {
    /// The term to look for, unless it is an operator.
    #[must_use]
    pub fn term(&self) -> Option<&Term> {
        match &self.sense {
            Sense::Word(term) | Sense::Phrase(term) => Some(term),
            _ => None,
        }
    }

    /// The operator, unless it is a term.
    #[must_use]
    pub fn operator(&self) -> Option<Operator> {
        match &self.sense {
            Sense::Word(_) | Sense::Phrase(_) => None,
            Sense::Name(operator, _) | Sense::When(operator, _) | Sense::Category(operator, _) => Some(*operator),
            Sense::Role(_) => Some(Operator::Role),
            Sense::Is(_) => Some(Operator::Is),
            Sense::In(_) => Some(Operator::In),
        }
    }
}

/// Reads a query.
///
/// # Errors
/// Reports the position of a part that cannot be parsed, and the allowed values.
pub fn parse(text: &str) -> Result<Vec<Clause>, QueryError> {
    if let Some((from, _)) = text.char_indices().nth(MAX_CHARS) {
        let message = format!("longer than {MAX_CHARS} characters");
        return Err(fault(text, SearchFault::TooLong, &(from..text.len()), &[], &message));
    }
    let mut clauses = Vec::new();
    let mut reader = QueryParser { text, at: 0 };
    while let Some(clause) = reader.clause()? {
        if clauses.len() == MAX_CLAUSES {
            let message = format!("more than {MAX_CLAUSES} parts");
            return Err(fault(text, SearchFault::TooMany, &clause.range, &[], &message));
        }
        clauses.push(clause);
    }
    if clauses.is_empty() {
        return Err(fault(text, SearchFault::Blank, &(0..text.len()), &[], "nothing to look for"));
    }
    Ok(clauses)
}

/// Writes parts of a query as text. Reading it gives the same parts, unless the quotes that it needs make it longer than
/// a query may be ([`MAX_CHARS`]).
#[must_use]
pub fn to_text(clauses: &[Clause]) -> String {
    let written = clauses.iter().map(|clause| {
        let not = if clause.not { "-" } else { "" };
        match (&clause.sense, clause.operator()) {
            (Sense::Word(_), _) => format!("{not}{}", clause.value),
            (_, None) => format!("{not}{}", quoted(&clause.value)),
            (_, Some(operator)) if is_bare(&clause.value) => format!("{not}{}:{}", operator.as_str(), clause.value),
            (_, Some(operator)) => format!("{not}{}:{}", operator.as_str(), quoted(&clause.value)),
        }
    });
    written.collect::<Vec<_>>().join(" ")
}

/// Needs no quotes behind an operator.
fn is_bare(value: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '+' | '@' | ':');
    value.chars().all(plain) && value.starts_with(char::is_alphanumeric)
}

fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A range of bytes in UTF-16 code units.
#[must_use]
pub fn utf16(text: &str, range: &Range<usize>) -> [u32; 2] {
    let units = |end: usize| {
        let before = text.get(..end).unwrap_or(text);
        u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX)
    };
    [units(range.start), units(range.end)]
}

fn fault(text: &str, fault: SearchFault, range: &Range<usize>, allowed: &[&str], why: &str) -> QueryError {
    QueryError {
        field: "q".to_owned(),
        allowed: allowed.iter().map(|&name| name.to_owned()).collect(),
        message: format!("q: {why}"),
        range: Some(utf16(text, range)),
        fault: Some(fault),
    }
}

struct QueryParser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> QueryParser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn fault(&self, kind: SearchFault, from: usize, allowed: &[&str], why: &str) -> QueryError {
        fault(self.text, kind, &(from..self.at), allowed, why)
    }

    fn clause(&mut self) -> Result<Option<Clause>, QueryError> {
        loop {
            self.at = self.text.len() - self.rest().trim_start().len();
            let start = self.at;
            let mut rest = self.rest().chars();
            let Some(first) = rest.next() else { return Ok(None) };
            let not = first == '-' && rest.next().is_some_and(|next| class_of(next).is_some() || is_quote(next));
            if not {
                self.at += 1;
            } else if first == '-' && self.rest().chars().nth(1).is_none_or(char::is_whitespace) {
                self.at += 1;
                return Err(self.fault(SearchFault::LoneMinus, start, &[], "a minus sign with nothing behind it"));
            }
            let (sense, value) = if self.rest().starts_with(is_quote) {
                let value = self.quoted()?;
                match Term::phrase(&value) {
                    Some(term) => (Sense::Phrase(term), value),
                    None => return Err(self.fault(SearchFault::Empty, start, &[], "nothing between the quotes")),
                }
            } else {
                match self.word(start)? {
                    Some(read) => read,
                    // Nothing that shows: passed over.
                    None => continue,
                }
            };
            return Ok(Some(Clause { not, sense, value, range: start..self.at }));
        }
    }

    /// Text between quotes; `\"` is a quote, `\\` a backslash.
    fn quoted(&mut self) -> Result<String, QueryError> {
        let start = self.at;
        let mut value = String::new();
        let mut rest = self.rest().char_indices().skip(1).peekable();
        while let Some((at, c)) = rest.next() {
            if is_quote(c) {
                self.at = start + at + c.len_utf8();
                return Ok(value);
            }
            let escaped = rest.next_if(|(_, next)| c == '\\' && matches!(next, '"' | '\\'));
            value.push(escaped.map_or(c, |(_, next)| next));
        }
        self.at = self.text.len();
        Err(self.fault(SearchFault::OpenQuote, start, &[], "a quote that is not closed"))
    }

    fn word(&mut self, start: usize) -> Result<Option<(Sense, String)>, QueryError> {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || is_quote(c)).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        self.at += end;
        if let Some((name, value)) = word.split_once([':', '：'])
            && !value.starts_with([':', '/'])
        {
            if let Some(operator) = Operator::named(name) {
                let value = match value {
                    "" if self.rest().starts_with(is_quote) => self.quoted()?,
                    value => value.to_owned(),
                };
                return self.operator(start, operator, &value).map(Some);
            }
            if let Some(operator) = Operator::nearly(name) {
                let why = format!("no operator `{name}:`; meant `{}:`? In quotes it is a text", operator.as_str());
                return Err(self.fault(SearchFault::UnknownOperator, start, operator.names(), &why));
            }
        }
        Ok(Term::word(word).map(|term| (Sense::Word(term), word.to_owned())))
    }

    fn operator(&self, start: usize, operator: Operator, value: &str) -> Result<(Sense, String), QueryError> {
        let value = value.trim().to_owned();
        let first = |names: &'static [&'static str]| names.iter().take(2).copied();
        let (sense, allowed): (Option<Sense>, Vec<&str>) = match operator {
            Operator::Role => (
                called(&value, &Role::ALL, role_names).map(Sense::Role),
                Role::ALL.into_iter().flat_map(|role| first(role_names(role))).collect(),
            ),
            Operator::Is => (
                called(&value, &IsValue::ALL, IsValue::names).map(Sense::Is),
                IsValue::ALL.into_iter().flat_map(|state| first(state.names())).collect(),
            ),
            Operator::Category | Operator::Categories => (
                called(&value, &Category::ALL, category_names).map(|category| Sense::Category(operator, category)),
                Category::ALL.into_iter().flat_map(|category| first(category_names(category))).collect(),
            ),
            Operator::In => (
                called(&value, &SearchKind::ALL, kind_names).map(Sense::In),
                SearchKind::ALL.into_iter().flat_map(|kind| first(kind_names(kind))).collect(),
            ),
            Operator::Before | Operator::After => {
                (When::read(&value).map(|when| Sense::When(operator, when)), FORMS.to_vec())
            }
            Operator::From | Operator::To | Operator::Agent | Operator::Type | Operator::Tag => {
                let name = super::folded(&value);
                ((!name.is_empty()).then_some(Sense::Name(operator, name)), Vec::new())
            }
            Operator::Session | Operator::Task => {
                ((!value.is_empty()).then(|| Sense::Name(operator, value.clone())), Vec::new())
            }
        };
        if let Some(sense) = sense {
            return Ok((sense, value));
        }
        let name = operator.as_str();
        if value.is_empty() {
            return Err(self.fault(SearchFault::Empty, start, &allowed, &format!("`{name}:` without a value")));
        }
        let why = format!("`{name}:` cannot be `{value}`; it can be {}", allowed.join(", "));
        Err(self.fault(SearchFault::BadValue, start, &allowed, &why))
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '＂')
}
