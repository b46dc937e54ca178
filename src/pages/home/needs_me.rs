//! The needs-me strip: what waits for a person, line by line, and what they put away of it.

use coordination::api::Attention;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::{slice, use_doubt, use_working};
use crate::components::attention_list::AttentionRow;
use crate::components::time_ago::use_now;
use crate::hooks::use_kept;
use crate::i18n::use_words;
use crate::state::{Away, line_key, use_clock, use_dismissed};
use crate::ui::Icon;
use crate::ui::more_menu::{Act, MoreMenu};
use crate::ui::toast::use_toasts;

/// Lines before the rest folds away.
const SHOWN: usize = 5;
/// The button that shows what was put away; it gets the focus of a line that goes.
const PUT_AWAY: &str = "put-away";

/// What waits, and what of it was put away.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    pub(super) lines: Memo<Vec<Attention>>,
    pub(super) hidden: Memo<Vec<Attention>>,
}

/// What waits.
pub(super) fn use_waiting() -> Waiting {
    let dismissed = use_dismissed();
    let now = use_now();
    let all = slice(|home| home.attention.clone());
    let split = move |hidden: bool| {
        Memo::new(move |_| {
            let lines = all.get().into_iter();
            lines.filter(|line| dismissed.hides(line, now.at.get()) == hidden).collect::<Vec<_>>()
        })
    };
    Waiting { lines: split(false), hidden: split(true) }
}

/// The strip.
#[component]
pub(super) fn NeedsMe() -> impl IntoView {
    let words = use_words();
    let waiting = use_waiting();
    let kept = use_kept("needs-me");
    let open = RwSignal::new(kept.get() == Some(1));
    let count = Memo::new(move |_| waiting.lines.with(Vec::len));
    let shown = move || {
        let limit = if open.get() { usize::MAX } else { SHOWN };
        waiting.lines.get().into_iter().take(limit).collect::<Vec<_>>()
    };
    let folded = Memo::new(move |_| count.get().saturating_sub(SHOWN));
    let more = move || {
        let toggle = move |_| {
            open.update(|open| *open = !*open);
            kept.set(usize::from(open.get_untracked()));
        };
        (folded.get() > 0).then(|| {
            view! {
                <button
                    type="button"
                    class="button is-quiet needs-me__more"
                    aria-expanded=move || open.get().to_string()
                    on:click=toggle
                >
                    {move || {
                        let home = &words.get().home;
                        if open.get() { home.needs_me_less.to_owned() } else { (home.needs_me_more)(folded.get()) }
                    }}
                </button>
            }
        })
    };
    view! {
        <section class="needs-me" aria-labelledby="needs-me">
            <div class="section-head">
                <h2 id="needs-me">{move || words.get().home.needs_me}</h2>
                <span class="section-head__count">{move || count.get()}</span>
                <span class="section-head__more dim">{move || words.get().home.needs_me_hint}</span>
            </div>
            {move || (count.get() == 0).then(|| view! { <Calm waiting=waiting /> })}
            <ol>
                <For each=shown key=line_key let:item>
                    <Line item=item />
                </For>
            </ol>
            {more}
            <PutAway hidden=waiting.hidden />
        </section>
    }
}

/// Nothing waits: said only of what was read, and not of what was put away.
#[component]
fn Calm(waiting: Waiting) -> impl IntoView {
    let words = use_words();
    let doubt = use_doubt();
    let working = use_working();
    let unsure = Memo::new(move |_| doubt.with(Option::is_some));
    let hidden = Memo::new(move |_| waiting.hidden.with(Vec::len));
    move || {
        if unsure.get() {
            return view! {
                <div class="needs-me__calm is-unsure" role="alert">
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
            <div class="needs-me__calm">
                {Icon::Ok}
                <div>
                    <p class="strong">{title}</p>
                    <p>{move || (words.get().home.calm_hint)(working.get())}</p>
                </div>
            </div>
        }
        .into_any()
    }
}

/// One line, and the ways to put it away.
#[component]
fn Line(item: Attention) -> impl IntoView {
    let words = use_words();
    let (clock, dismissed, toasts) = (use_clock(), use_dismissed(), use_toasts());
    let line = StoredValue::new(item.clone());
    let put = move |away: Away| {
        line.with_value(|line| dismissed.put(line, away));
        let line = line.get_value();
        let words = words.now();
        toasts.done_with(words.home.put_away_done, words.common.undo, move || dismissed.bring_back(&line));
        // The line goes with the focus on it.
        request_animation_frame(|| {
            let button = document().get_element_by_id(PUT_AWAY).and_then(|it| it.dyn_into().ok());
            if let Some(button) = button {
                web_sys::HtmlElement::focus(&button).unwrap_or_default();
            }
        });
    };
    let acts = vec![
        Act {
            text: Signal::derive(move || words.get().home.until_news.to_owned()),
            run: Callback::new(move |()| put(Away::UntilNews)),
        },
        Act {
            text: Signal::derive(move || words.get().home.not_today.to_owned()),
            run: Callback::new(move |()| put(Away::Until(tomorrow(clock.now())))),
        },
    ];
    view! {
        <li>
            <AttentionRow item=item />
            <MoreMenu label=Signal::derive(move || words.get().home.put_away.to_owned()) acts=acts />
        </li>
    }
}

/// The next local midnight, epoch ms.
fn tomorrow(now: i64) -> i64 {
    let today = js_sys::Date::new(&(now as f64).into());
    let day = today.get_date() as i32 + 1;
    js_sys::Date::new_with_year_month_day(today.get_full_year(), today.get_month() as i32, day).get_time() as i64
}

/// What was put away, at the reader's wish, with the way back.
#[component]
fn PutAway(hidden: Memo<Vec<Attention>>) -> impl IntoView {
    let words = use_words();
    let dismissed = use_dismissed();
    let open = RwSignal::new(false);
    let count = Memo::new(move |_| hidden.with(Vec::len));
    let line = move |item: Attention| {
        let back = item.clone();
        view! {
            <li>
                <AttentionRow item=item />
                <button type="button" class="button is-small" on:click=move |_| dismissed.bring_back(&back)>
                    {move || words.get().home.bring_back}
                </button>
            </li>
        }
    };
    let lines = move || if open.get() { hidden.get() } else { Vec::new() };
    move || {
        (count.get() > 0).then(|| {
            view! {
                <button
                    type="button"
                    id=PUT_AWAY
                    class="button is-quiet needs-me__more"
                    aria-expanded=move || open.get().to_string()
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    {move || (words.get().home.put_away_n)(count.get())}
                </button>
                <ol class="needs-me__hidden" aria-label=move || (words.get().home.put_away_n)(count.get())>
                    <For each=lines key=line_key children=line />
                </ol>
            }
        })
    }
}
