//! How pairs of agents answer: a table, the busiest pair first.

use coordination::api::Pair;
use leptos::prelude::*;

use super::AgentsState;
use crate::components::agent::AgentName;
use crate::components::time_ago::TimeAgo;
use crate::hooks::use_go;
use crate::i18n::{Words, time, use_words};
use crate::routes::{AgentsFilter, PairsSince, paths};
use crate::ui::segments::{Segment, Segments};

/// Heading, period, table.
#[component]
pub(super) fn Pairs(state: AgentsState) -> impl IntoView {
    let words = use_words();
    let go = use_go();
    let choice = |since: PairsSince| Segment {
        value: since,
        view: ViewFn::from(move || view! { {move || (words.get().agents().since)(since)} }.into_any()),
    };
    let pairs = Memo::new(move |_| {
        state
            .fetch
            .data
            .with(|answer| answer.as_ref().map(|answer| (answer.pairs.clone(), answer.pairs_total)).unwrap_or_default())
    });
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
                        go.refine(&paths::agents(&AgentsFilter { since, ..state.filter.get_untracked() }));
                    })
                />
            </header>
            {move || {
                if pairs.with(|(pairs, _)| pairs.is_empty()) {
                    view! { <p class="is-dim pairs__none">{move || words.get().agents().no_pairs}</p> }.into_any()
                } else {
                    view! { <Table pairs=Signal::derive(move || pairs.get().0) /> }.into_any()
                }
            }}
            {move || left_off().map(|text| view! { <p class="is-dim pairs__none">{text}</p> })}
        </section>
    }
}

#[component]
fn Table(pairs: Signal<Vec<Pair>>) -> impl IntoView {
    let words = use_words();
    let head = |word: fn(&crate::i18n::messages::Agents) -> &'static str| {
        view! { <th scope="col">{move || word(words.get().agents())}</th> }
    };
    view! {
        <div class="pairs__scroll" tabindex="0" role="region" aria-label=move || words.get().agents().pairs>
            <table>
                <thead>
                    <tr>
                        {head(|w| w.pair)} {head(|w| w.sends)} {head(|w| w.p50)} {head(|w| w.p95)}
                        {head(|w| w.blocked)} {head(|w| w.no_reply)} {head(|w| w.turns)} {head(|w| w.last)}
                    </tr>
                </thead>
                <tbody>
                    <For each=move || pairs.get() key=|pair| format!("{pair:?}") let:pair>
                        <Row pair=pair />
                    </For>
                </tbody>
            </table>
        </div>
    }
}

/// `2 (14%)`; nothing where there is none.
fn share(part: u32, all: u32) -> String {
    if part == 0 {
        "–".to_owned()
    } else {
        format!("{part} ({}%)", (u64::from(part) * 100).div_ceil(u64::from(all.max(1))))
    }
}

/// `1.5 / 3`
fn average(sum: u32, count: u32) -> String {
    let tenths = (u64::from(sum) * 10 + u64::from(count) / 2) / u64::from(count.max(1));
    if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

fn length(ms: Option<i64>, words: Words) -> String {
    ms.map_or_else(|| "–".to_owned(), |ms| time::duration(words.locale(), ms))
}

#[component]
fn Row(pair: Pair) -> impl IntoView {
    let words = use_words();
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
                <AgentName id=pair.from />
                <span class="is-dim">" → "</span>
                <AgentName id=pair.to />
            </th>
            <td>{sends}</td>
            <td title=hint>{move || length(p50_ms, words)}</td>
            <td title=hint>{move || length(p95_ms, words)}</td>
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
    use super::{average, share};

    #[test]
    fn shares_are_never_rounded_to_nothing_and_averages_are_short() {
        assert_eq!([share(0, 9), share(1, 1_000), share(2, 4)], ["–", "1 (1%)", "2 (50%)"]);
        assert_eq!([average(3, 2), average(10, 5), average(0, 3)], ["1.5", "2", "0"]);
    }
}
