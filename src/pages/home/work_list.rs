//! Work list of the home page: decisions for a person, agents that wait for each other, classifications to check, and
//! snoozed lines.

use coordination::api::{Attention, AttentionGroup};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::{slice, use_incomplete_reason};
use crate::components::attention_list::{AttentionRow, CheckLink, Waiters};
use crate::components::time_ago::use_now;
use crate::i18n::use_i18n;
use crate::pages::lazy::wait_tree;
use crate::queries::{use_go, use_stored_query};
use crate::routes::{NewAlertRule, paths};
use crate::state::{SnoozeUntil, use_clock, use_connection, use_snoozed};
use crate::ui::Icon;
use crate::ui::live_rows::LiveRows;
use crate::ui::more_menu::{MenuAction, MoreMenu};
use crate::ui::toast::use_toasts;

/// Lines of a group before the rest folds away.
const SHOWN_LINES: usize = 5;
/// The button that shows the snoozed lines; it gets the focus of a line that is removed.
const SNOOZED_BUTTON_ID: &str = "put-away";

/// Open lines, and snoozed ones.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    /// For a person to settle.
    pub(super) person: Memo<Vec<Attention>>,
    /// Between agents.
    pub(super) agents: Memo<Vec<Attention>>,
    /// Classifications to check.
    checks: Memo<Vec<Attention>>,
    /// Snoozed ones, of all.
    hidden: Memo<Vec<Attention>>,
    /// There is more than was sent: at the end of the list, and so between agents, or of both where none of theirs came.
    pub(super) more: Memo<bool>,
    pub(super) person_more: Memo<bool>,
}

impl Waiting {
    /// How many lines for a person are snoozed. Reactive.
    pub(super) fn hidden_for_me(self) -> usize {
        self.hidden.with(|lines| lines.iter().filter(|line| line.group() == AttentionGroup::Person).count())
    }
}

/// What waits.
pub(super) fn use_waiting() -> Waiting {
    let dismissed = use_snoozed();
    let now = use_now();
    let all = slice(|home| home.attention.clone());
    let pick = move |group: Option<AttentionGroup>, hidden: bool| {
        Memo::new(move |_| {
            let lines = all.get().into_iter().filter(|line| group.is_none_or(|group| line.group() == group));
            lines.filter(|line| dismissed.hides(line, now.at.get()) == hidden).collect::<Vec<_>>()
        })
    };
    let more = slice(|home| home.attention_more);
    let is_agents = |line: &Attention| line.group() == AttentionGroup::Agents;
    let person_more = Memo::new(move |_| more.get() && all.with(|lines| !lines.iter().any(is_agents)));
    Waiting {
        more,
        person_more,
        person: pick(Some(AttentionGroup::Person), false),
        agents: pick(Some(AttentionGroup::Agents), false),
        checks: pick(Some(AttentionGroup::Check), false),
        hidden: pick(None, true),
    }
}

/// Both groups of the work list, classifications to check, and snoozed lines.
#[component]
pub(super) fn WorkList() -> impl IntoView {
    let words = use_i18n();
    let waiting = use_waiting();
    let doubt = use_incomplete_reason();
    // Only for data that was read and sent completely.
    let is_calm =
        Memo::new(move |_| waiting.agents.with(Vec::is_empty) && !waiting.more.get() && doubt.with(Option::is_none));
    view! {
        <div class="work">
            <section aria-labelledby="for-me">
                <GroupHead
                    id="for-me"
                    title=move || words.get().home.for_me
                    group=AttentionGroup::Person
                    lines=waiting.person
                    more=waiting.person_more
                />
                {move || waiting.person.with(Vec::is_empty).then(|| view! { <Calm waiting=waiting /> })}
                <WorkLines lines=waiting.person key="for-me" />
            </section>
            <section aria-labelledby="between-agents">
                <GroupHead
                    id="between-agents"
                    title=move || words.get().home.between_agents
                    group=AttentionGroup::Agents
                    lines=waiting.agents
                    more=waiting.more
                />
                {move || {
                    is_calm.get().then(|| view! { <p class="work__none">{move || words.get().home.between_agents_calm}</p> })
                }}
                <WorkLines lines=waiting.agents key="between-agents" />
            </section>
            <Checks lines=waiting.checks />
            <SnoozedList hidden=waiting.hidden />
        </div>
    }
}

/// Heading of a group with its number of lines, and a link to a rule of alerts for them; a plus sign marks an incomplete
/// list.
#[component]
fn GroupHead(
    id: &'static str,
    title: impl Fn() -> &'static str + Copy + Send + 'static,
    group: AttentionGroup,
    lines: Memo<Vec<Attention>>,
    /// There is more than was sent.
    more: Memo<bool>,
) -> impl IntoView {
    let words = use_i18n();
    let compat = use_connection().compat;
    view! {
        <div class="section-head">
            <h2 id=id>{title}</h2>
            <span class="section-head__count">
                {move || format!("{}{}", lines.with(Vec::len), if more.get() { "+" } else { "" })}
            </span>
            {move || {
                // A 1.x monitor sends none.
                (!compat.get())
                    .then(|| {
                        let label = move || (words.get().home.alert_rule)(title());
                        view! {
                            <a
                                class="icon-button section-head__bell"
                                href=paths::new_alert_rule(&NewAlertRule { groups: vec![group], ..NewAlertRule::default() })
                                aria-label=label
                                title=label
                            >
                                {Icon::Bell}
                            </a>
                        }
                    })
            }}
        </div>
    }
}

/// Lines of a group. A button unfolds those after the first few.
#[component]
fn WorkLines(lines: Memo<Vec<Attention>>, key: &'static str) -> impl IntoView {
    let words = use_i18n();
    let stored_open = use_stored_query(key);
    let open = RwSignal::new(stored_open.get() == Some(1));
    let shown = move || {
        let limit = if open.get() { usize::MAX } else { SHOWN_LINES };
        lines.get().into_iter().take(limit).collect::<Vec<_>>()
    };
    let folded = Memo::new(move |_| lines.with(Vec::len).saturating_sub(SHOWN_LINES));
    let toggle = move |_| {
        open.update(|open| *open = !*open);
        stored_open.set(usize::from(open.get_untracked()));
    };
    let more = move || {
        (folded.get() > 0).then(|| {
            view! {
                <button
                    type="button"
                    class="button is-quiet work__more"
                    aria-expanded=move || open.get().to_string()
                    on:click=toggle
                >
                    {move || {
                        let home = &words.get().home;
                        if open.get() { home.show_less.to_owned() } else { (home.show_more)(folded.get()) }
                    }}
                </button>
            }
        })
    };
    view! {
        <ol>
            <LiveRows each=shown key=Attention::key draw=|item| view! { <WorkLine item=item /> }.into_any() />
        </ol>
        {more}
    }
}

/// Classifications to check, in one small line because they block nobody; nothing without any.
#[component]
fn Checks(lines: Memo<Vec<Attention>>) -> impl IntoView {
    let words = use_i18n();
    move || {
        let lines = lines.get();
        (!lines.is_empty()).then(|| {
            let link = |item| view! { <li><CheckLink item=item /></li> };
            view! {
                <div class="work__checks">
                    <b id="checks">{move || words.get().home.checks}</b>
                    <ul aria-labelledby="checks">{lines.iter().cloned().map(link).collect_view()}</ul>
                    <SnoozeMenu lines=Signal::stored(lines) />
                </div>
            }
        })
    }
}

/// Sentence that there is nothing to decide; a warning while the data is incomplete.
#[component]
fn Calm(waiting: Waiting) -> impl IntoView {
    let words = use_i18n();
    let doubt = use_incomplete_reason();
    let unsure = Memo::new(move |_| doubt.with(Option::is_some));
    let hidden = Memo::new(move |_| waiting.hidden_for_me());
    move || {
        if unsure.get() {
            return view! {
                <div class="work__calm is-unsure" role="alert">
                    {Icon::Warn}
                    <div>
                        <p class="strong">{move || words.get().home.unsure}</p>
                        <p>{move || doubt.get()}</p>
                    </div>
                </div>
            }
            .into_any();
        }
        let title = move || {
            let home = &words.get().home;
            if hidden.get() == 0 { home.calm.to_owned() } else { (home.calm_but_hidden)(hidden.get()) }
        };
        view! {
            <div class="work__calm">
                {Icon::Ok}
                <div>
                    <p class="strong">{title}</p>
                    <p>{move || words.get().home.calm_hint}</p>
                </div>
            </div>
        }
        .into_any()
    }
}

/// One line with its snooze menu.
#[component]
fn WorkLine(item: Memo<Attention>) -> impl IntoView {
    view! {
        <li class="work-line">
            <AttentionRow item=item />
            <SnoozeMenu lines=Signal::derive(move || vec![item.get()]) />
            <Waiters item=item tree=wait_tree />
        </li>
    }
}

/// Menu that snoozes lines until they change or until tomorrow.
#[component]
fn SnoozeMenu(#[prop(into)] lines: Signal<Vec<Attention>>) -> impl IntoView {
    let words = use_i18n();
    let (clock, dismissed, toasts) = (use_clock(), use_snoozed(), use_toasts());
    let (compat, go) = (use_connection().compat, use_go());
    let put = move |away: SnoozeUntil| {
        let lines = lines.get_untracked();
        lines.iter().for_each(|line| dismissed.snooze(line, away));
        let words = words.now();
        let back = move || lines.iter().for_each(|line| dismissed.bring_back(line));
        toasts.done_with(words.home.put_away_done, words.common.undo, back);
        // The line goes with the focus on it.
        request_animation_frame(|| {
            let button = document().get_element_by_id(SNOOZED_BUTTON_ID).and_then(|it| it.dyn_into().ok());
            if let Some(button) = button {
                web_sys::HtmlElement::focus(&button).unwrap_or_default();
            }
        });
    };
    let acts = vec![
        MenuAction {
            text: Signal::derive(move || words.get().home.until_news.to_owned()),
            run: Callback::new(move |()| put(SnoozeUntil::UntilNews)),
        },
        MenuAction {
            text: Signal::derive(move || words.get().home.not_today.to_owned()),
            run: Callback::new(move |()| put(SnoozeUntil::Until(tomorrow(clock.running())))),
        },
        MenuAction {
            text: Signal::derive(move || {
                let is_offered = !compat.get() && lines.with(|lines| lines.len() == 1);
                if is_offered { words.get().home.alert_rule_like_this.to_owned() } else { String::new() }
            }),
            run: Callback::new(move |()| {
                let start = lines.with_untracked(|lines| lines.first().map(rule_like));
                start.into_iter().for_each(|start| go.to(&paths::new_alert_rule(&start)));
            }),
        },
    ];
    view! { <MoreMenu label=Signal::derive(move || words.get().home.put_away.to_owned()) acts=acts /> }
}

/// Beginning of a rule of alerts for lines like this one.
fn rule_like(line: &Attention) -> NewAlertRule {
    NewAlertRule { kinds: vec![line.kind], agents: line.agent.iter().cloned().collect(), groups: Vec::new() }
}

/// The next local midnight, epoch ms.
fn tomorrow(now: i64) -> i64 {
    let today = js_sys::Date::new(&(now as f64).into());
    let day = today.get_date() as i32 + 1;
    js_sys::Date::new_with_year_month_day(today.get_full_year(), today.get_month() as i32, day).get_time() as i64
}

/// Button that unfolds the snoozed lines, each with a button to restore it; nothing without any.
#[component]
fn SnoozedList(hidden: Memo<Vec<Attention>>) -> impl IntoView {
    let words = use_i18n();
    let dismissed = use_snoozed();
    let open = RwSignal::new(false);
    let count = Memo::new(move |_| hidden.with(Vec::len));
    let line = move |item: Memo<Attention>| {
        let is_check = item.with_untracked(|item| item.group() == AttentionGroup::Check);
        let text = match is_check {
            true => view! { {move || view! { <CheckLink item=item.get() /> }} }.into_any(),
            false => view! { <AttentionRow item=item /> }.into_any(),
        };
        view! {
            <li class="work-line">
                {text}
                <button
                    type="button"
                    class="button is-small"
                    on:click=move |_| item.with_untracked(|item| dismissed.bring_back(item))
                >
                    {move || words.get().home.bring_back}
                </button>
            </li>
        }
        .into_any()
    };
    let lines = move || if open.get() { hidden.get() } else { Vec::new() };
    move || {
        (count.get() > 0).then(|| {
            view! {
                <button
                    type="button"
                    id=SNOOZED_BUTTON_ID
                    class="button is-quiet work__more"
                    aria-expanded=move || open.get().to_string()
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    {move || (words.get().home.put_away_n)(count.get())}
                </button>
                <ol class="work__hidden" aria-label=move || (words.get().home.put_away_n)(count.get())>
                    <LiveRows each=lines key=Attention::key draw=line />
                </ol>
            }
        })
    }
}
