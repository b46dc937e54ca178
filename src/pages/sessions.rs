//! List of sessions, of one category or of all, with category rail and filters. Every filter is in the URL. New data
//! changes the visible cards in place; new sessions wait behind a button. Until a changed filter is answered, the cards
//! stay.

mod batch;
mod choice;
mod filters;
mod listed;
mod more;
mod nothing;
mod pinned;
mod rail;
mod rows;

use coordination::api::{PastMoment, SessionCard, SessionsPage as Answer, SessionsQuery, SessionsSort};
use coordination::category::Category;
use leptos::prelude::*;

use self::filters::SessionFilterBar;
use self::listed::{merge, page_limit};
use self::more::LoadMore;
use self::nothing::{Failed, SessionsEmpty};
use self::rail::CategoryRail;
use self::rows::{NewActivity, SessionRows};
use super::unknown_filter::UnknownFilter;
use crate::components::category::{CategoryTile, TileSize};
use crate::components::views::SharedView;
use crate::i18n::{I18n, time, use_i18n};
use crate::queries::{Fetch, FetchOptions, use_fetch, use_page_title, use_pairs, use_segment, use_stored_query};
use crate::routes::{ChangesFilter, DriftView, Grouping, SessionsFilter, is_evidence_page, paths};
use crate::state::{ReadMarks, use_clock, use_connection, use_hub, use_pins, use_reading};
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// What is looked at: `None` is all.
pub(super) type Subject = (Option<Category>, SessionsFilter);

/// The list as the user sees it.
#[derive(Clone, Copy)]
struct List {
    subject: Memo<Subject>,
    /// Cards on screen, in the order they were first shown.
    shown: RwSignal<Vec<SessionCard>>,
    /// What the cards on screen answer.
    answered: RwSignal<Option<Subject>>,
    /// How many cards are new or would move, and wait behind the pill.
    news: RwSignal<usize>,
    /// How many cards were requested: more than are shown where only unread ones are.
    requested: RwSignal<usize>,
    /// Where the next page begins.
    next: RwSignal<Option<String>>,
    more_busy: RwSignal<bool>,
}

/// The page of `/all` and `/c/:category`.
#[component]
pub fn SessionListPage() -> impl IntoView {
    let segment = use_segment("category");
    let unknown = Memo::new(move |_| segment.with(|name| !name.is_empty() && name.parse::<Category>().is_err()));
    move || match unknown.get() {
        true => view! { <UnknownCategory /> }.into_any(),
        false => view! { <SessionList segment=segment /> }.into_any(),
    }
}

/// Empty state for an unknown category in the address.
#[component]
fn UnknownCategory() -> impl IntoView {
    let words = use_i18n();
    use_page_title(move || words.get().sessions().category_unknown.to_owned());
    view! {
        <main id="main" class="page" tabindex="-1">
            <EmptyState
                icon=Icon::Grid
                title=Signal::derive(move || words.get().sessions().category_unknown.to_owned())
                text=Signal::derive(move || words.get().sessions().category_unknown_text.to_owned())
            >
                <a class="button is-primary" href=paths::all()>
                    {move || words.get().sessions().to_all}
                </a>
                <a class="button" href=paths::home()>
                    {move || words.get().common.to_home}
                </a>
            </EmptyState>
        </main>
    }
}

/// Category rail, title, filters and session cards.
#[component]
fn SessionList(segment: Memo<String>) -> impl IntoView {
    let words = use_i18n();
    let pairs = use_pairs();
    let subject = Memo::new(move |_| (segment.get().parse().ok(), SessionsFilter::from_pairs(&pairs.get())));
    use_page_title(move || subject.with(|(category, _)| name(words, *category)).to_owned());

    let list = List {
        subject,
        shown: RwSignal::new(Vec::new()),
        answered: RwSignal::new(None),
        news: RwSignal::new(0),
        requested: RwSignal::new(0),
        next: RwSignal::new(None),
        more_busy: RwSignal::new(false),
    };
    let answer = use_answer(list);
    keep_still(list, answer);

    let address = Signal::derive(move || subject.with(|(category, filter)| paths::sessions(*category, filter)));
    view! {
        <div class="sessions">
            <CategoryRail subject=subject answer=answer.data />
            <main id="main" class="sessions__main" tabindex="-1">
                <PageHead subject=subject />
                <SessionFilterBar subject=subject answer=answer.data />
                <SharedView path=address />
                <UnknownFilter
                    unknown=Signal::derive(move || SessionsFilter::unknown(&pairs.get()))
                    without=Signal::derive(move || subject.with(|(category, filter)| paths::sessions(*category, filter)))
                />
                <NewActivity list=list answer=answer />
                <ListBody list=list answer=answer />
            </main>
        </div>
    }
}

fn name(words: I18n, category: Option<Category>) -> &'static str {
    let common = &words.get().common;
    category.map_or(common.everything, |category| (common.category)(category))
}

/// The query of a subject.
pub(super) fn to_query(
    subject: &Subject,
    now: i64,
    floor: Option<i64>,
    limit: u32,
    after: Option<String>,
) -> SessionsQuery {
    let (category, filter) = subject;
    let day = filter.first.as_ref().and_then(|day| time::day_begins(day.as_str()));
    let since = filter.since.map(|since| since.earliest_ms(now)).max(day);
    SessionsQuery {
        category: *category,
        include_secondary: filter.secondary && category.is_some(),
        status: filter.status.into_iter().collect(),
        agent: filter.agent.clone(),
        with: filter.with.clone(),
        session_key: None,
        delivery: filter.delivery.into_iter().collect(),
        resolved: filter.resolved,
        tag: filter.tag.clone(),
        q: filter.q.clone(),
        // Only the page knows which messages were read: the monitor leaves out what cannot be unread.
        since: if filter.unread { since.max(floor) } else { since },
        until: filter.last.as_ref().and_then(|day| time::day_ends(day.as_str())),
        sort: if filter.group == Grouping::Category { SessionsSort::Category } else { SessionsSort::Latest },
        limit: Some(if filter.unread { 200 } else { limit }),
        after,
    }
}

fn use_answer(list: List) -> Fetch<Answer> {
    let (clock, reading) = (use_clock(), use_reading());
    let stored_rows = use_stored_query("rows");
    // How far the user had gone down, for Back.
    Effect::new(move |_| {
        let count = list.shown.with(Vec::len);
        if count > 0 {
            stored_rows.set(count);
        }
    });
    // Taking all cards away takes longer than a frame: it is not done in the task of a press.
    let options = FetchOptions::refetch_when(|change, _: &Subject| change.everything || !change.sessions.is_empty())
        .keep_data_when(|(before, _), (now, _)| before == now);
    use_fetch(
        move || list.subject.get(),
        options,
        move |source, subject| {
            let limit = page_limit(list.shown.with_untracked(Vec::len).max(stored_rows.get().unwrap_or_default()));
            let query = to_query(&subject, clock.now(), untrack(|| reading.floor()), limit, None);
            async move { source.sessions(&query).await }
        },
    )
}

/// A new subject replaces the list; a live answer for the same one only updates cards in place.
fn keep_still(list: List, answer: Fetch<Answer>) {
    let (pins, reading) = (use_pins(), use_reading());
    let hub = use_hub();
    Effect::new(move |before: Option<Option<(Subject, Option<PastMoment>)>>| {
        let Some(data) = answer.data.get() else {
            list.news.set(0);
            list.shown.set(Vec::new());
            list.answered.set(None);
            return None;
        };
        let subject = list.subject.get_untracked();
        list.answered.set(Some(subject.clone()));
        let subject = (subject, hub.moment.get_untracked());
        let shown = list.shown.get_untracked();
        // An empty list cannot move: the first cards are shown at once.
        if before.flatten().as_ref() == Some(&subject) && !shown.is_empty() {
            let latest = untrack(|| list.fitting(reading, &data.sessions));
            let merged = merge(&shown, &latest, &untrack(|| pins.all()));
            list.shown.set(merged.cards);
            list.news.set(merged.news);
        } else {
            show(list, reading, &data);
        }
        Some(subject)
    });
}

impl List {
    /// The cards on screen answer another filter. Reactive.
    fn is_behind(self) -> bool {
        self.answered.with(|answered| self.subject.with(|subject| answered.as_ref().is_some_and(|it| it != subject)))
    }

    /// Cards that fit the filter for unread messages; a card on screen stays, though it was read meanwhile.
    fn fitting(self, reading: ReadMarks, cards: &[SessionCard]) -> Vec<SessionCard> {
        let only_unread = self.subject.with(|(_, filter)| filter.unread);
        let shown = |card: &SessionCard| {
            self.shown.with(|shown| shown.iter().any(|other| other.work_session_id == card.work_session_id))
        };
        let fits = |card: &&SessionCard| !only_unread || reading.of_card(card).any() || shown(card);
        cards.iter().filter(fits).cloned().collect()
    }
}

/// Shows an answer as it is.
fn show(list: List, reading: ReadMarks, answer: &Answer) {
    list.shown.set(Vec::new());
    list.shown.set(untrack(|| list.fitting(reading, &answer.sessions)));
    list.requested.set(answer.sessions.len());
    list.next.set(answer.next.clone());
    list.news.set(0);
}

/// Title of the list, with links to drift, rules and category changes.
#[component]
fn PageHead(subject: Memo<Subject>) -> impl IntoView {
    let words = use_i18n();
    let compat = use_connection().compat;
    let category = Memo::new(move |_| subject.with(|(category, _)| *category));
    let hint = move || match category.get() {
        Some(category) => (words.get().common.category_hint)(category),
        None => words.get().sessions().all_hint,
    };
    view! {
        <header class="page-head">
            {move || match category.get() {
                Some(category) => view! { <CategoryTile category=category size=TileSize::Large /> }.into_any(),
                None => view! { <span class="tile is-all is-large" aria-hidden="true">{Icon::Grid}</span> }.into_any(),
            }}
            <div>
                <h1>{move || name(words, category.get())}</h1>
                <p>{hint}</p>
            </div>
            {(!is_evidence_page())
                .then(|| {
                    view! {
                        <p class="page-head__more">
                            <a class="link" href=paths::drift(DriftView::default())>
                                {Icon::Chart}
                                {move || words.get().drift().open}
                            </a>
                            {move || {
                                (!compat.get())
                                    .then(|| {
                                        view! {
                                            <a class="link" href=paths::rules(None)>
                                                {Icon::Settings}
                                                {move || words.get().rules().title}
                                            </a>
                                            <a class="link" href=paths::changes(&ChangesFilter::default())>
                                                {Icon::Pen}
                                                {move || words.get().record().open}
                                            </a>
                                        }
                                    })
                            }}
                        </p>
                    }
                })}
        </header>
    }
}

/// Session cards, or the state of the list: loading, failed or empty.
#[component]
fn ListBody(list: List, answer: Fetch<Answer>) -> impl IntoView {
    let words = use_i18n();
    #[derive(Clone, Copy, PartialEq)]
    enum Body {
        Loading,
        Failed,
        Empty,
        Rows,
    }
    let body = Memo::new(move |_| {
        let has_data = answer.data.with(Option::is_some);
        let (is_behind, is_empty) = (list.is_behind(), list.shown.with(Vec::is_empty) && list.news.get() == 0);
        match (has_data, answer.error.with(Option::is_some)) {
            (false, false) => Body::Loading,
            (false, true) => Body::Failed,
            // The cards are no answer to this filter.
            (true, true) if is_behind => Body::Failed,
            (true, _) if is_behind && is_empty => Body::Loading,
            (true, _) if is_empty => Body::Empty,
            (true, _) => Body::Rows,
        }
    });
    move || match body.get() {
        Body::Loading => {
            let loading = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=8 label=loading /> }.into_any()
        }
        Body::Failed => view! { <Failed answer=answer /> }.into_any(),
        Body::Empty => view! { <SessionsEmpty subject=list.subject /> }.into_any(),
        Body::Rows => view! {
            <div class:is-behind=move || list.is_behind() aria-busy=move || list.is_behind().to_string()>
                <SessionRows list=list />
                <LoadMore list=list answer=answer />
            </div>
        }
        .into_any(),
    }
}

#[cfg(test)]
mod tests {
    use coordination::api::DeliveryFilter;
    use coordination::session::Status;

    use super::*;
    use crate::routes::Since;

    #[test]
    fn every_filter_reaches_the_query() {
        let filter = SessionsFilter {
            status: Some(Status::Active),
            agent: Some("eden".into()),
            with: vec!["seum".into()],
            delivery: Some(DeliveryFilter::Waiting),
            tag: Some("배포".to_owned()),
            secondary: true,
            q: Some("말".to_owned()),
            since: Some(Since::Hour),
            group: Grouping::Category,
            ..SessionsFilter::default()
        };
        let hour = Since::Hour.earliest_ms(0);
        let list_query = to_query(&(Some(Category::InfraOps), filter), 0, None, 50, None);
        let expected = SessionsQuery {
            category: Some(Category::InfraOps),
            include_secondary: true,
            status: vec![Status::Active],
            agent: Some("eden".into()),
            with: vec!["seum".into()],
            delivery: vec![DeliveryFilter::Waiting],
            tag: Some("배포".to_owned()),
            q: Some("말".to_owned()),
            since: Some(hour),
            sort: SessionsSort::Category,
            limit: Some(50),
            ..SessionsQuery::default()
        };
        assert_eq!(list_query, expected);
    }
}
