//! Delivery state below a bubble: icon, label and time. The waiting time is updated every second.

use coordination::api::Exchange;
use coordination::delivery::{DeliveryState, REPLY_WAIT_MS};
use leptos::prelude::*;

use crate::components::people::use_people;
use crate::components::status::DeliveryStateBadge;
use crate::i18n::{I18n, time, use_i18n};

/// The line.
#[component]
pub fn DeliveryLine(
    exchange: Exchange,
    /// When the answer came.
    answered_at: Option<i64>,
    /// `messageIntent`, informational.
    intent: Option<String>,
    /// Now, to the second.
    now: Signal<i64>,
) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let intent = intent.or_else(|| exchange.delivery.intent.clone());
    // A settled delivery never looks at the clock, so an old thread stays still.
    let state = if exchange.delivery.settled.is_some() {
        Signal::stored(exchange.state_at(i64::MAX))
    } else {
        let exchange = exchange.clone();
        Memo::new(move |_| exchange.state_at(now.get())).into()
    };
    let sent_at = exchange.sent_at;
    let facts = {
        let exchange = exchange.clone();
        move || facts(&exchange, state.get(), answered_at, intent.as_deref(), words)
    };
    let id = exchange.id.clone();
    // Others were sent to the same agent before it and wait too.
    let queued = move || {
        let place = (state.get() == DeliveryState::Waiting).then(|| people.place_in_queue(&id))?;
        let text = place.filter(|place| *place > 1).map(|place| (words.get().thread().queue_place)(place))?;
        Some(view! { <span class="is-unbroken">{text}</span> })
    };
    let progress = move || {
        (state.get() == DeliveryState::Waiting && sent_at > 0).then(|| {
            let from = exchange.delivery.last_retry_at.unwrap_or(sent_at).max(sent_at);
            let waited = Memo::new(move |_| (now.get() - from).max(0));
            let percent = move || (waited.get() * 100 / REPLY_WAIT_MS).min(100);
            view! {
                <span class="is-unbroken">
                    {move || (words.get().thread().waited_of)(&time::duration(words.locale(), waited.get()))}
                </span>
                <span
                    class="delivery__wait"
                    role="img"
                    aria-label=move || (words.get().thread().percent_passed)(percent() as u32)
                >
                    <i style:width=move || format!("{}%", percent())></i>
                </span>
            }
        })
    };
    view! {
        <div class="delivery">
            {move || view! { <DeliveryStateBadge state=state.get() /> }} {queued} {progress}
            {move || {
                let text = facts();
                (!text.is_empty()).then(|| view! { <span>{text}</span> })
            }}
        </div>
    }
}

/// `41초 · 요청, 최대 3턴`
fn facts(
    exchange: &Exchange,
    state: DeliveryState,
    answered_at: Option<i64>,
    intent: Option<&str>,
    words: I18n,
) -> String {
    let thread = words.get().thread();
    let delivery = &exchange.delivery;
    let mut parts = Vec::new();
    let took = match state {
        DeliveryState::Answered => answered_at.or(delivery.settled_at),
        DeliveryState::NoReply | DeliveryState::Blocked | DeliveryState::Acknowledged => delivery.settled_at,
        _ => None,
    };
    if let Some(end) = took.filter(|end| exchange.sent_at > 0 && *end >= exchange.sent_at) {
        parts.push(time::duration(words.locale(), end - exchange.sent_at));
    }
    let intent = intent.and_then(|word| (thread.intent)(word)).map(ToOwned::to_owned);
    let turns = delivery.max_turns.filter(|turns| *turns > 0).map(|turns| (thread.max_turns)(turns));
    let about: Vec<String> = intent.into_iter().chain(turns).collect();
    if !about.is_empty() {
        parts.push(about.join(", "));
    }
    if delivery.retries > 0 {
        parts.push((thread.retries_made)(delivery.retries));
    }
    parts.join(" · ")
}
