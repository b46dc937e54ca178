//! Error message for a query with a syntax error: the faulty part marked, the reason and possible corrections.

use coordination::api::{ErrorBody, SearchFault};
use coordination::hangul::syllable::is_syllable;
use leptos::prelude::*;

use super::written::{part, quoted, replaced};
use super::{SearchOutcome, SearchState};
use crate::components::marked::bytes;
use crate::i18n::messages::Messages;
use crate::i18n::{Locale, use_i18n};
use crate::queries::use_go;
use crate::routes::{SearchFilter, paths};
use crate::ui::Icon;

/// Values offered at most.
const MAX_OFFERED_VALUES: usize = 12;

/// Why it cannot be read.
fn sentence(q: &str, body: &ErrorBody, words: &Messages) -> String {
    let words = words.search();
    let at = body.range.map(|range| part(q, range)).unwrap_or_default();
    let (name, value) = halves(at);
    match body.fault {
        Some(SearchFault::OpenQuote) => words.wrong_quote.to_owned(),
        Some(SearchFault::LoneMinus) => words.wrong_minus.to_owned(),
        Some(SearchFault::UnknownOperator) => (words.wrong_operator)(name),
        Some(SearchFault::Empty) if at.contains(':') => (words.wrong_empty)(name),
        Some(SearchFault::Empty) => words.wrong_nothing.to_owned(),
        Some(SearchFault::BadValue) => (words.wrong_value)(name, value),
        Some(SearchFault::TooLong) => words.wrong_long.to_owned(),
        Some(SearchFault::TooMany) => words.wrong_many.to_owned(),
        _ => words.wrong_other.to_owned(),
    }
}

/// The operator and the value of a part, without its minus and its quotes.
fn halves(at: &str) -> (&str, &str) {
    let (name, value) = at.trim_start_matches('-').split_once(':').unwrap_or_default();
    (name, value.trim_matches('"'))
}

/// The query with an allowed operator, or value, in the place of what is wrong.
fn mended(q: &str, range: [u32; 2], fault: Option<SearchFault>, by: &str) -> String {
    let at = part(q, range);
    let not = if at.starts_with('-') { "-" } else { "" };
    let bare = at.trim_start_matches('-');
    let (name, value) = bare.split_once(':').unwrap_or((bare, ""));
    let by = match fault {
        Some(SearchFault::UnknownOperator) => format!("{not}{by}:{value}"),
        _ => format!("{not}{name}:{}", quoted(by)),
    };
    replaced(q, range, &by)
}

/// Allowed names in the user's language, where there are any: the monitor sends those of both.
fn readable(allowed: &[String], locale: Locale) -> Vec<String> {
    let own = |name: &&String| name.chars().any(is_syllable) == (locale == Locale::Ko);
    let own: Vec<String> = allowed.iter().filter(own).take(MAX_OFFERED_VALUES).cloned().collect();
    if own.is_empty() { allowed.iter().take(MAX_OFFERED_VALUES).cloned().collect() } else { own }
}

/// The sentence under the field; announced when it comes.
#[component]
pub(super) fn Wrong(search: SearchState) -> impl IntoView {
    let refused = Memo::new(move |_| {
        search.fetch.data.with(|answer| match &**answer.as_ref()? {
            (filter, SearchOutcome::Refused(body)) => Some((filter.clone(), body.clone())),
            _ => None,
        })
    });
    view! {
        <div id="search-wrong" role="status">
            {move || refused.get().map(|(filter, body)| view! { <RefusedSentence filter=filter body=body /> })}
        </div>
    }
}

#[component]
fn RefusedSentence(filter: SearchFilter, body: ErrorBody) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let q = filter.q.clone();
    let marked = body.range.map(|range| {
        let range = bytes(&q, range);
        let piece = |range: std::ops::Range<usize>| q.get(range).unwrap_or_default().to_owned();
        view! {
            <p class="search-wrong__query" aria-hidden="true">
                {piece(0..range.start)} <mark>{piece(range.clone())}</mark> {piece(range.end..q.len())}
            </p>
        }
    });
    let (range, fault, allowed) = (body.range, body.fault, body.allowed.clone());
    let choices = move || {
        let range = range.filter(|_| !allowed.is_empty())?;
        let choice = |value: String| {
            let href = paths::search(&SearchFilter { q: mended(&filter.q, range, fault, &value), ..filter.clone() });
            let go = go.clone();
            view! {
                <button type="button" class="button is-small" on:click=move |_| go.refine(&href)>
                    {value}
                </button>
            }
        };
        let values = readable(&allowed, words.locale());
        Some(view! {
            <p class="search-wrong__allowed">
                <span>{words.get().search().allowed}</span>
                {values.into_iter().map(choice).collect_view()}
            </p>
        })
    };
    view! {
        <div class="search-wrong">
            {marked} <p>{Icon::Warn} <span>{move || sentence(&q, &body, words.get())}</span></p> {choices}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coordination::search::parse;

    /// The grammar's error of a query, in the form of the API.
    fn refused(q: &str) -> ErrorBody {
        let error = parse(q).unwrap_err();
        ErrorBody {
            error: error.message,
            code: coordination::api::ErrorCode::InvalidValue,
            field: Some(error.field),
            allowed: error.allowed,
            range: error.range,
            fault: error.fault,
            request_id: String::new(),
        }
    }

    #[test]
    fn each_grammar_fault_has_a_sentence() {
        let ko = Locale::Ko.messages();
        let fault_sentence = |q: &str| sentence(q, &refused(q), ko);
        let words = ko.search();
        assert_eq!(fault_sentence("배포 \"열린"), words.wrong_quote);
        assert_eq!(fault_sentence("배포 -"), words.wrong_minus);
        assert_eq!(fault_sentence("-is:blokced"), "‘is’에 ‘blokced’를 쓸 수 없습니다.");
        assert_eq!(fault_sentence("is: 배포"), "‘is:’ 뒤에 값을 붙여 써 주세요.");
        assert_eq!(fault_sentence("\"\""), words.wrong_nothing);
        assert_eq!(fault_sentence("form:eden"), "‘form:’ 조건은 없습니다.");
        assert_eq!(fault_sentence(&"가".repeat(401)), words.wrong_long);
        assert_eq!(fault_sentence(&"a ".repeat(40)), words.wrong_many);
    }

    #[test]
    fn suggested_replacement_parses() {
        for q in ["배포 is:blokced 확인", "-form:eden", "category:없는것", "is:"] {
            let body = refused(q);
            for locale in Locale::ALL {
                let values = readable(&body.allowed, locale);
                assert!(!values.is_empty(), "{q}");
                for value in values {
                    let mended = mended(q, body.range.unwrap(), body.fault, &value);
                    assert!(parse(&mended).is_ok(), "{mended}");
                }
            }
        }
        let range = refused("배포 is:blokced 확인").range.unwrap();
        assert_eq!(
            mended("배포 is:blokced 확인", range, Some(SearchFault::BadValue), "blocked"),
            "배포 is:blocked 확인"
        );
    }

    #[test]
    fn offered_operators_and_values_parse() {
        for locale in Locale::ALL {
            for name in super::super::offers::OPERATORS {
                let typed = (locale.messages().search().typed)(name).unwrap_or(name);
                let operator = coordination::search::Operator::named(typed);
                assert_eq!(operator.map(|operator| operator.as_str()), Some(name), "{typed}");
            }
        }
        for example in Locale::ALL.iter().flat_map(|locale| locale.messages().search().examples) {
            assert!(parse(example.0).is_ok(), "{}", example.0);
        }
        for value in super::super::values::FIXED
            .iter()
            .flat_map(|(name, values)| values.iter().map(move |value| format!("{name}:{value}")))
        {
            assert!(parse(&value).is_ok(), "{value}");
        }
    }
}
