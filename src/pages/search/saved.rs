//! Saving the events that a search finds as an evidence file.

use coordination::api::{EvidenceQuery, SearchClause, SearchKind};
use coordination::search::When;
use leptos::prelude::*;

use super::SearchState;
use crate::i18n::time;
use crate::pages::save_evidence::{SaveEvidence, use_evidence_offer};
use crate::state::use_clock;

/// Button that saves the found events. An evidence file knows words, phrases and a period; with other conditions it could not
/// be checked, so it is not offered.
#[component]
pub(super) fn SaveSearch(search: SearchState) -> impl IntoView {
    let is_offered = use_evidence_offer();
    let clock = use_clock();
    let scope = Memo::new(move |_| {
        search.page(|filter, page| {
            let shows_events =
                filter.within.is_none_or(|kind| matches!(kind, SearchKind::Messages | SearchKind::Events));
            let has_events = page.counts.messages + page.counts.events > 0;
            let now = clock.now();
            (shows_events && has_events).then(|| found_scope(&page.clauses, now, time::offset_east(now))).flatten()
        })
    });
    let is_shown = Memo::new(move |_| is_offered.get() && scope.with(|scope| matches!(scope, Some(Some(_)))));
    let scope = Signal::derive(move || scope.get().flatten().unwrap_or_default());
    view! {
        <Show when=move || is_shown.get()>
            <SaveEvidence scope=scope />
        </Show>
    }
}

/// The parts of a query as the scope of an evidence file; none when it has others.
fn found_scope(clauses: &[SearchClause], now: i64, offset_min: i32) -> Option<EvidenceQuery> {
    let mut scope = EvidenceQuery::default();
    let mut texts: Vec<String> = Vec::new();
    for clause in clauses.iter() {
        let at = || When::read(&clause.value).map(|when| when.at(now, offset_min));
        match clause.name.as_str() {
            _ if clause.not => return None,
            "text" => texts.push(clause.value.clone()),
            "phrase" => texts.push(format!("\"{}\"", clause.value)),
            "after" => scope.since = scope.since.max(Some(at()?)),
            "before" => scope.until = Some(scope.until.unwrap_or(i64::MAX).min(at()? - 1)),
            _ => return None,
        }
    }
    scope.q = (!texts.is_empty()).then(|| texts.join(" "));
    (scope != EvidenceQuery::default()).then_some(scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clause(name: &str, value: &str) -> SearchClause {
        SearchClause { name: name.to_owned(), value: value.to_owned(), not: false, range: [0, 0] }
    }

    #[test]
    fn words_phrases_and_times_are_the_scope_of_a_file() {
        let scope = |clauses: &[SearchClause]| found_scope(clauses, 1_000_000, 0);
        let words = [clause("text", "배포"), clause("phrase", "v2 완료")];
        assert_eq!(scope(&words).and_then(|scope| scope.q).as_deref(), Some("배포 \"v2 완료\""));
        let day = [clause("after", "2026-11-22"), clause("before", "2026-11-23")];
        let day = scope(&day).expect("a period");
        assert_eq!((day.since, day.until, day.q), (Some(1_795_305_600_000), Some(1_795_391_999_999), None));
        assert_eq!(scope(&[clause("text", "배포"), clause("from", "eden")]), None);
        assert_eq!(scope(&[SearchClause { not: true, ..clause("text", "배포") }]), None);
        assert_eq!(scope(&[]), None);
    }
}
