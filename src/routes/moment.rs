//! The past moment in an address: `?at=2026-02-21T04:05:00Z`, on every page. The parameter `at` of a thread or a stored
//! session, which names a message, has another form.

use coordination::api::{KnownBy, PastMoment};
use coordination::time::{parse_iso, to_iso};

use super::{parse_query, query_string};

const AT: &str = "at";
const KNOWN_BY: &str = "knownBy";
const COMPARE: &str = "compare";
const NOW: &str = "now";
/// Parts of the paths of pages where `at` may name a message.
const MESSAGE_PATHS: [&str; 2] = ["/s/", "/sessions/"];

/// With what a past moment is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparedWith {
    /// The present.
    Now,
    /// Another moment, in epoch milliseconds.
    At(i64),
}

/// With what a query asks to compare its moment, if with anything.
pub fn compared_with(pairs: &[(String, String)]) -> Option<ComparedWith> {
    let (_, value) = pairs.iter().find(|(name, _)| name == COMPARE)?;
    match value.trim() {
        NOW => Some(ComparedWith::Now),
        time => parse_iso(time).filter(|at| *at >= 0).map(ComparedWith::At),
    }
}

/// An address of the page that compares its moment, or no longer does.
pub fn comparing(address: &str, with: Option<ComparedWith>) -> String {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let mut pairs = parse_query(query);
    pairs.retain(|(name, _)| name != COMPARE);
    let value = with.map(|with| match with {
        ComparedWith::Now => NOW.to_owned(),
        ComparedWith::At(at) => text_of(at),
    });
    pairs.extend(value.map(|value| (COMPARE.to_owned(), value)));
    format!("{path}{}", query_string(&pairs))
}

/// The moment that a query names.
pub fn moment(pairs: &[(String, String)]) -> Option<PastMoment> {
    let at = pairs.iter().find_map(time_of)?;
    let known_by = pairs.iter().find(|(name, _)| name == KNOWN_BY).and_then(|(_, value)| value.parse().ok());
    Some(PastMoment { at, known_by: known_by.unwrap_or_default() })
}

/// What an address gives as its moment, if it is no time: `?at=yesterday`. Below a thread or a stored session, where `at`
/// names a message too, only what begins as a date counts.
pub fn unread_moment(path: &str, pairs: &[(String, String)]) -> Option<String> {
    let names_messages = MESSAGE_PATHS.iter().any(|part| path.contains(part));
    let is_date = |text: &str| {
        let form = text.as_bytes();
        form.get(4) == Some(&b'-') && form.get(7) == Some(&b'-') && form[..4].iter().all(u8::is_ascii_digit)
    };
    let is_meant = |text: &str| !text.is_empty() && (!names_messages || is_date(text));
    let mut given = pairs.iter().filter(|pair| pair.0 == AT && time_of(pair).is_none()).map(|(_, value)| value.trim());
    given.find(|text| is_meant(text)).filter(|_| moment(pairs).is_none()).map(str::to_owned)
}

/// A query without its moment, and without what the moment is compared with.
pub fn without_moment(mut pairs: Vec<(String, String)>) -> Vec<(String, String)> {
    pairs.retain(|pair| time_of(pair).is_none() && pair.0 != KNOWN_BY && pair.0 != COMPARE);
    pairs
}

/// An address of the page as of a moment, or as of now. What is there of a moment is replaced.
pub fn at_moment(address: &str, moment: Option<PastMoment>) -> String {
    let (address, fragment) = address.split_once('#').map_or((address, None), |(rest, it)| (rest, Some(it)));
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let compared = compared_with(&parse_query(query)).filter(|_| moment.is_some());
    let mut pairs = parse_query(query);
    let unread = unread_moment(path, &pairs);
    pairs.retain(|(name, value)| name != AT || unread.as_deref() != Some(value.trim()));
    let mut pairs = without_moment(pairs);
    if let Some(PastMoment { at, known_by }) = moment {
        pairs.push((AT.to_owned(), text_of(at)));
        if known_by != KnownBy::default() {
            pairs.push((KNOWN_BY.to_owned(), known_by.as_str().to_owned()));
        }
    }
    let (path, query) = (path, query_string(&pairs));
    let address = comparing(&format!("{path}{query}"), compared);
    let fragment = fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
    format!("{address}{fragment}")
}

/// A date-time with a `T`: no id of a message looks like it.
fn time_of((name, value): &(String, String)) -> Option<i64> {
    let value = value.trim();
    let has_form = name == AT && value.as_bytes().get(10) == Some(&b'T') && value.as_bytes().get(4) == Some(&b'-');
    if has_form { parse_iso(value).filter(|at| *at >= 0) } else { None }
}

fn text_of(at: i64) -> String {
    to_iso(at).replace(".000Z", "Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_carries_the_moment_and_loses_it() {
        let at = parse_iso("2026-02-21T04:05:00Z").unwrap();
        let then = PastMoment { at, known_by: KnownBy::Time };
        let thread = "/s/ws_1/t/conv:1?at=f-9&mark=%EB%B0%B0";
        let past = at_moment(thread, Some(then));
        assert_eq!(past, "/s/ws_1/t/conv:1?at=f-9&mark=%EB%B0%B0&at=2026-02-21T04:05:00Z");
        assert_eq!(moment(&parse_query(past.split_once('?').unwrap().1)), Some(then));
        assert_eq!(at_moment(&past, None), thread);
        let arrival = PastMoment { at: at + 1, known_by: KnownBy::Arrival };
        let again = at_moment(&at_moment("/#main", Some(then)), Some(arrival));
        assert_eq!(again, "/?at=2026-02-21T04:05:00.001Z&knownBy=arrival#main");
        assert_eq!(moment(&parse_query("at=2026-02-21T04:05:00.001Z&knownBy=arrival")), Some(arrival));
    }

    #[test]
    fn comparison_stays_while_the_moment_moves() {
        let at = parse_iso("2026-02-21T04:05:00Z").unwrap();
        let then = PastMoment { at, known_by: KnownBy::Time };
        let compared = comparing(&at_moment("/all?q=a", Some(then)), Some(ComparedWith::Now));
        assert_eq!(compared, "/all?q=a&at=2026-02-21T04:05:00Z&compare=now");
        let later = at_moment(&compared, Some(PastMoment { at: at + 60_000, ..then }));
        assert_eq!(later, "/all?q=a&at=2026-02-21T04:06:00Z&compare=now");
        assert_eq!(at_moment(&later, None), "/all?q=a");
        let pairs = |address: &str| parse_query(address.split_once('?').unwrap().1);
        let other = comparing(&compared, Some(ComparedWith::At(at)));
        assert_eq!(compared_with(&pairs(&other)), Some(ComparedWith::At(at)));
        assert_eq!(compared_with(&pairs("/?compare=yesterday")), None);
        assert_eq!(comparing(&other, None), at_moment("/all?q=a", Some(then)));
        assert_eq!(without_moment(pairs(&other)), [("q".to_owned(), "a".to_owned())]);
    }

    #[test]
    fn message_ids_and_other_texts_are_no_moments() {
        for text in [
            "at=f-9",
            "at=ab12-450",
            "at=2026-02-21",
            "at=1771646700000",
            "at=2026-13-45T00:00:00Z",
            "at=",
            "q=2026-02-21T04:05:00Z",
        ] {
            assert_eq!(moment(&parse_query(text)), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_named() {
        let unread = |path: &str, query: &str| unread_moment(path, &parse_query(query));
        for text in ["yesterday", "1771646700000", "2026-02-21", "2026-13-45T00:00:00Z"] {
            assert_eq!(unread("/all", &format!("at={text}")).as_deref(), Some(text));
            assert_eq!(at_moment(&format!("/all?at={text}&q=a"), None), "/all?q=a");
        }
        assert_eq!(unread("/@pc/s/ws_1/t/a", "at=2026-13-45T00:00:00Z").as_deref(), Some("2026-13-45T00:00:00Z"));
        for query in ["at=f-9", "at=0ca6c1bb-a361", "at=20260221-450", "at="] {
            assert_eq!(unread("/sessions/agent:eden:main", query), None, "{query}");
        }
        for query in ["", "at=", "q=yesterday", "at=2026-02-21T04:05:00Z"] {
            assert_eq!(unread("/", query), None, "{query}");
        }
    }
}
