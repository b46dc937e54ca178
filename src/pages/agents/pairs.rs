//! Table of answer times by pair of agents, with a choice of period. It can be sorted by column; pairs without a value
//! are last.

use coordination::api::Pair;
use leptos::prelude::*;

use super::AgentsText;
use crate::components::agent::AgentLink;
use crate::components::time_ago::TimeAgo;
use crate::i18n::{I18n, time, use_i18n};
use crate::queries::use_go;
use crate::routes::{AgentsFilter, PairsColumn, PairsOrder, PairsSince, paths};
use crate::ui::Icon;
use crate::ui::segments::{Segment, Segments};

/// Rows shown before the list is expanded.
const FIRST_PAIRS: usize = 12;

/// Filter of the page, and the address of the page with another filter.
#[derive(Clone, Copy)]
struct PairsFilterState {
    filter: Memo<AgentsFilter>,
    /// Builds the address.
    path: Callback<AgentsFilter, String>,
}

/// Sorts the pairs. Pairs without a value are last in both directions.
fn sorted(mut pairs: Vec<Pair>, order: PairsOrder) -> Vec<Pair> {
    let share = |part: u32, pair: &Pair| Some(f64::from(part) / f64::from(pair.sends.max(1)));
    let key = |pair: &Pair| match order.column {
        PairsColumn::Sends => Some(f64::from(pair.sends)),
        PairsColumn::P50 => pair.p50_ms.map(|ms| ms as f64),
        PairsColumn::P95 => pair.p95_ms.map(|ms| ms as f64),
        PairsColumn::Blocked => share(pair.blocked, pair),
        PairsColumn::NoReply => share(pair.no_reply, pair),
        PairsColumn::Last => Some(pair.last_time as f64),
    };
    // A stable sort: equal ones keep the order of the answer, the busiest first.
    pairs.sort_by(|a, b| match (key(a), key(b)) {
        (Some(a), Some(b)) if order.ascending => a.total_cmp(&b),
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    pairs
}

/// Section with the period and the table of pairs. Without pairs, a sentence says so.
#[component]
pub(super) fn PairsSection(
    /// The pairs, and how many there are.
    #[prop(into)]
    pairs: Signal<(Vec<Pair>, u32)>,
    filter: Memo<AgentsFilter>,
    /// The address of this page with another filter.
    path: Callback<AgentsFilter, String>,
) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let state = PairsFilterState { filter, path };
    let choice = |since: PairsSince| Segment {
        value: since,
        view: ViewFn::from(move || view! { {move || (words.get().agents().since)(since)} }.into_any()),
    };
    let shown = Memo::new(move |_| {
        let (order, all) = state.filter.with(|filter| (filter.order, filter.all_pairs));
        let mut pairs = sorted(pairs.get().0, order);
        pairs.truncate(if all { usize::MAX } else { FIRST_PAIRS });
        pairs
    });
    let hidden_count = Memo::new(move |_| pairs.with(|(pairs, _)| pairs.len().saturating_sub(FIRST_PAIRS)));
    let toggle_all = {
        let go = go.clone();
        Callback::new(move |()| {
            let now = state.filter.get_untracked();
            go.refine(&state.path.run(AgentsFilter { all_pairs: !now.all_pairs, ..now }));
        })
    };
    let toggle_button = move || {
        let all = move || state.filter.with(|filter| filter.all_pairs);
        let label = move || {
            let agents = words.get().agents();
            if all() { agents.fewer_pairs.to_owned() } else { (agents.more_pairs)(hidden_count.get()) }
        };
        view! {
            <p class="pairs__fold">
                <button
                    type="button"
                    class="button is-small"
                    aria-expanded=move || all().to_string()
                    on:click=move |_| toggle_all.run(())
                >
                    {label}
                </button>
            </p>
        }
    };
    let left_off = move || {
        pairs.with(|(pairs, total)| {
            (pairs.len() < *total as usize).then(|| (words.get().agents().pairs_left_off)(pairs.len(), *total))
        })
    };
    view! {
        <section class="pairs">
            <header>
                <div>
                    <h2>{move || words.get().agents().pairs}</h2>
                    <p class="is-dim">{move || words.get().agents().pairs_hint}</p>
                </div>
                <Segments
                    label=Signal::derive(move || words.get().agents().pairs_time.to_owned())
                    choices=PairsSince::ALL.into_iter().map(choice).collect()
                    value=Signal::derive(move || state.filter.get().since)
                    on_pick=Callback::new(move |since| {
                        go.refine(&state.path.run(AgentsFilter { since, ..state.filter.get_untracked() }));
                    })
                />
            </header>
            {move || {
                if pairs.with(|(pairs, _)| pairs.is_empty()) {
                    view! { <p class="is-dim pairs__none">{move || words.get().agents().no_pairs}</p> }.into_any()
                } else {
                    view! { <PairTable pairs=shown.into() state=state /> }.into_any()
                }
            }}
            {move || (hidden_count.get() > 0).then(toggle_button)}
            {move || left_off().map(|text| view! { <p class="is-dim pairs__none">{text}</p> })}
        </section>
    }
}

/// Table of pairs with sortable columns.
#[component]
fn PairTable(pairs: Signal<Vec<Pair>>, state: PairsFilterState) -> impl IntoView {
    let words = use_i18n();
    let plain = |word: AgentsText| {
        view! { <th scope="col">{move || word(words.get().agents())}</th> }
    };
    let sortable = move |column: PairsColumn, word: AgentsText| {
        view! { <SortHead column=column word=word state=state /> }
    };
    view! {
        <div class="pairs__scroll" tabindex="0" role="region" aria-label=move || words.get().agents().pairs>
            <table>
                <thead>
                    <tr>
                        {plain(|w| w.pair)} {sortable(PairsColumn::Sends, |w| w.sends)}
                        {sortable(PairsColumn::P50, |w| w.p50)} {sortable(PairsColumn::P95, |w| w.p95)}
                        {sortable(PairsColumn::Blocked, |w| w.blocked)} {sortable(PairsColumn::NoReply, |w| w.no_reply)}
                        {plain(|w| w.turns)} {sortable(PairsColumn::Last, |w| w.last)}
                    </tr>
                </thead>
                <tbody>
                    // Rows are not reactive: the key covers all values, so that a changed pair gets a new row.
                    <For each=move || pairs.get() key=|pair| format!("{pair:?}") let:pair>
                        <PairRow pair=pair />
                    </For>
                </tbody>
            </table>
        </div>
    }
}

/// Head of a column by which the pairs can be sorted.
#[component]
fn SortHead(column: PairsColumn, word: AgentsText, state: PairsFilterState) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let order = Memo::new(move |_| state.filter.with(|filter| filter.order));
    let sorted = move || match order.get() {
        PairsOrder { column: by, .. } if by != column => None,
        PairsOrder { ascending: true, .. } => Some("ascending"),
        PairsOrder { .. } => Some("descending"),
    };
    let mark = move || {
        sorted().map(|way| {
            let icon = if way == "ascending" { Icon::ArrowUp } else { Icon::ArrowDown };
            view! { <span class="pairs__way">{icon}</span> }
        })
    };
    let press = move |_| {
        let now = state.filter.get_untracked();
        go.refine(&state.path.run(AgentsFilter { order: now.order.press(column), ..now }));
    };
    view! {
        <th scope="col" aria-sort=sorted>
            <button type="button" on:click=press>
                {move || word(words.get().agents())}
                {mark}
            </button>
        </th>
    }
}

/// `2 (14%)`, the share rounded up; a dash when `part` is 0.
fn share(part: u32, all: u32) -> String {
    if part == 0 {
        "–".to_owned()
    } else {
        format!("{part} ({}%)", (u64::from(part) * 100).div_ceil(u64::from(all.max(1))))
    }
}

/// Average with at most one decimal: `1.5`, `3`.
fn average(sum: u32, count: u32) -> String {
    let tenths = (u64::from(sum) * 10 + u64::from(count) / 2) / u64::from(count.max(1));
    if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

/// Duration in words; a dash when it was never measured.
fn duration_or_dash(ms: Option<i64>, words: I18n) -> String {
    ms.map_or_else(|| "–".to_owned(), |ms| time::duration(words.locale(), ms))
}

/// One pair: requests, answer times, refusals, missing answers, turns and last message.
#[component]
fn PairRow(pair: Pair) -> impl IntoView {
    let words = use_i18n();
    let Pair { sends, measured, p50_ms, p95_ms, blocked, no_reply, exchanges, turns, max_turns, last_time, .. } = pair;
    let hint = move || {
        let agents = words.get().agents();
        if measured > 0 { (agents.percentile_hint)(measured) } else { agents.none_measured.to_owned() }
    };
    let (refused, unanswered) = (blocked > 0, no_reply > 0);
    let used = (exchanges > 0).then(|| format!("{} / {}", average(turns, exchanges), average(max_turns, exchanges)));
    view! {
        <tr>
            <th scope="row">
                <AgentLink id=pair.from />
                <span class="is-dim">" → "</span>
                <AgentLink id=pair.to />
            </th>
            <td>{sends}</td>
            <td title=hint>{move || duration_or_dash(p50_ms, words)}</td>
            <td title=hint>{move || duration_or_dash(p95_ms, words)}</td>
            <td class:is-bad=refused>{share(blocked, sends)}</td>
            <td class:is-bad=unanswered>{share(no_reply, sends)}</td>
            <td title=move || (words.get().agents().turns_hint)(exchanges)>{used.unwrap_or_else(|| "–".to_owned())}</td>
            <td>
                <a class="link" href=paths::thread(&pair.session_id, &pair.thread_id)>
                    <TimeAgo at=last_time />
                </a>
            </td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(from: &str, sends: u32, p95_ms: Option<i64>, blocked: u32) -> Pair {
        Pair {
            from: from.into(),
            to: "seum".into(),
            sends,
            answered: 0,
            blocked,
            no_reply: 0,
            measured: 0,
            p50_ms: None,
            p95_ms,
            exchanges: 0,
            turns: 0,
            max_turns: 0,
            last_time: 0,
            session_id: "s".into(),
            thread_id: "t".into(),
        }
    }

    /// In both directions pairs without a measured time are last.
    #[test]
    fn pairs_sort_with_unmeasured_last() {
        let pairs =
            vec![pair("a", 9, Some(5), 1), pair("b", 8, None, 4), pair("c", 7, Some(6), 0), pair("d", 1, Some(5), 0)];
        let names = |order| sorted(pairs.clone(), order).iter().map(|pair| pair.from.to_string()).collect::<String>();
        let by = |column| PairsOrder::default().press(PairsColumn::Last).press(column);
        assert_eq!(names(PairsOrder::default()), "abcd");
        assert_eq!(names(by(PairsColumn::P95)), "cadb", "equal ones stay as they were");
        assert_eq!(names(by(PairsColumn::P95).press(PairsColumn::P95)), "adcb");
        assert_eq!(names(by(PairsColumn::Blocked)), "bacd", "by the share, not the number");
    }

    #[test]
    fn pair_shares_and_averages_are_formatted() {
        assert_eq!([share(0, 9), share(1, 1_000), share(2, 4)], ["–", "1 (1%)", "2 (50%)"]);
        assert_eq!([average(3, 2), average(10, 5), average(0, 3)], ["1.5", "2", "0"]);
    }
}
