//! Work list of all machines: what only a person can settle, what agents wait for among themselves, and
//! classifications to check. Each line names its machine and leads to the place where home would lead to.

use coordination::api::{Attention, AttentionGroup, FleetAttention};
use leptos::prelude::*;

use super::state::FleetState;
use crate::components::attention_list::{AttentionRow, CheckLink, WaiterNames};
use crate::components::machine::MachineMark;
use crate::i18n::use_i18n;
use crate::ui::Icon;
use crate::ui::live_rows::LiveRows;

/// Lines of a group before the rest folds away.
const SHOWN_LINES: usize = 8;

/// The groups of the work list.
#[component]
pub(super) fn FleetWork(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let all = fleet.rows(|page| &page.attention, |line| &line.source);
    let group = move |group: AttentionGroup| {
        Memo::new(move |_| {
            all.with(|lines| lines.iter().filter(|line| line.line.group() == group).cloned().collect::<Vec<_>>())
        })
    };
    let more = fleet.slice(|page| page.attention_more);
    let (person, agents, checks) =
        (group(AttentionGroup::Person), group(AttentionGroup::Agents), group(AttentionGroup::Check));
    let is_sure = Memo::new(move |_| fleet.is_sure() && !more.get());
    view! {
        <div class="work fleet__section">
            <section aria-labelledby="for-me">
                <WorkHead id="for-me" title=Signal::derive(move || words.get().home.for_me) lines=person />
                {move || person.with(Vec::is_empty).then(|| view! { <NothingWaits is_sure=is_sure /> })}
                <FleetLines fleet=fleet lines=person />
            </section>
            <section aria-labelledby="between-agents">
                <WorkHead
                    id="between-agents"
                    title=Signal::derive(move || words.get().home.between_agents)
                    lines=agents
                />
                {move || {
                    let is_calm = agents.with(Vec::is_empty) && is_sure.get();
                    is_calm.then(|| view! { <p class="work__none">{move || words.get().home.between_agents_calm}</p> })
                }}
                <FleetLines fleet=fleet lines=agents />
            </section>
            <FleetChecks fleet=fleet lines=checks />
            {move || more.get().then(|| view! { <p class="fleet__more">{move || words.get().fleet().more}</p> })}
        </div>
    }
}

/// Heading of a group with its number of lines.
#[component]
fn WorkHead(id: &'static str, title: Signal<&'static str>, lines: Memo<Vec<FleetAttention>>) -> impl IntoView {
    view! {
        <div class="section-head">
            <h2 id=id>{title}</h2>
            <span class="section-head__count">{move || lines.with(Vec::len)}</span>
        </div>
    }
}

/// Nothing waits for a person; a warning while the state of a machine is not known.
#[component]
fn NothingWaits(is_sure: Memo<bool>) -> impl IntoView {
    let words = use_i18n();
    move || {
        let is_sure = is_sure.get();
        let icon = if is_sure { Icon::Ok } else { Icon::Warn };
        let texts = move || {
            let words = words.get();
            match is_sure {
                true => (words.home.calm, words.home.calm_hint),
                false => (words.fleet().unsure, words.fleet().unsure_hint),
            }
        };
        view! {
            <div class="work__calm" class:is-unsure=!is_sure>
                {icon}
                <div>
                    <p class="strong">{move || texts().0}</p>
                    <p>{move || texts().1}</p>
                </div>
            </div>
        }
    }
}

/// Lines of a group. A button unfolds those after the first few.
#[component]
fn FleetLines(fleet: FleetState, lines: Memo<Vec<FleetAttention>>) -> impl IntoView {
    let words = use_i18n();
    let open = RwSignal::new(false);
    let shown = move || {
        let limit = if open.get() { usize::MAX } else { SHOWN_LINES };
        lines.with(|lines| lines.iter().take(limit).cloned().collect::<Vec<_>>())
    };
    let folded = Memo::new(move |_| lines.with(Vec::len).saturating_sub(SHOWN_LINES));
    let line = move |item: Memo<FleetAttention>| {
        item.with_untracked(|item| fleet.provide_row(&item.source));
        let line: Memo<Attention> = Memo::new(move |_| item.with(|item| item.line.clone()));
        view! {
            <li class="work-line">
                <AttentionRow item=line />
                <WaiterNames item=line />
            </li>
        }
        .into_any()
    };
    view! {
        <ol>
            <LiveRows each=shown key=|line: &FleetAttention| (line.source.clone(), line.line.key()) draw=line />
        </ol>
        {move || {
            (folded.get() > 0).then(|| view! {
                <button
                    type="button"
                    class="button is-quiet work__more"
                    aria-expanded=move || open.get().to_string()
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    {move || {
                        let home = &words.get().home;
                        if open.get() { home.show_less.to_owned() } else { (home.show_more)(folded.get()) }
                    }}
                </button>
            })
        }}
    }
}

/// Classifications to check, in one small line; nothing without any.
#[component]
fn FleetChecks(fleet: FleetState, lines: Memo<Vec<FleetAttention>>) -> impl IntoView {
    let words = use_i18n();
    let any = Memo::new(move |_| lines.with(|lines| !lines.is_empty()));
    let line = move |item: Memo<FleetAttention>| {
        item.with_untracked(|item| fleet.provide_row(&item.source));
        view! { <li><MachineMark /> {move || view! { <CheckLink item=item.get().line /> }}</li> }.into_any()
    };
    move || {
        any.get().then(|| {
            view! {
                <div class="work__checks">
                    <b id="checks">{move || words.get().home.checks}</b>
                    <ul aria-labelledby="checks">
                        <LiveRows
                            each=move || lines.get()
                            key=|line: &FleetAttention| (line.source.clone(), line.line.key())
                            draw=line
                        />
                    </ul>
                </div>
            }
        })
    }
}
