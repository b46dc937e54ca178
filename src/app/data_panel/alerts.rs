//! Section of the data panel about alerts that the monitor sends: each channel with how its newest attempt ended and a
//! test, and the messages that were given up, each with another attempt. Nothing where no channel is set up.

use std::collections::BTreeSet;

use coordination::api::{
    AlertMessage, AlertReceiver, AlertRetry, AlertSinkInfo, AlertSinkState, AlertTest, AlertsPage, MessageForm,
    MessageStatus,
};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::hidden::Name;
use crate::i18n::{I18n, time, use_i18n};
use crate::queries::{Fetch, FetchOptions, use_fetch};
use crate::routes::paths;
use crate::state::{
    HubState, Preferences, PushDevice, use_clock, use_hub, use_preferences, use_push_device, use_rights,
};
use crate::ui::Tone;
use crate::ui::toast::{Toasts, use_toasts};

/// Reloaded a few times a minute while it is open, and after each press.
#[component]
pub(super) fn AlertChannels() -> impl IntoView {
    let words = use_i18n();
    let clock = use_clock();
    let options = FetchOptions::ignore_live_changes();
    let page: Fetch<AlertsPage> =
        use_fetch(move || clock.coarse().get(), options, |source, _| async move { source.alerts().await });
    let press = AlertPress::new(page);
    move || {
        let now = clock.coarse().get();
        let page = page.data.get().filter(|page| !page.sinks.is_empty())?;
        let sinks = page.sinks.iter().cloned().map(|sink| channel(sink, now, words, press));
        let dead = page.dead.iter().cloned().map(|message| dead_letter(message, now, words, press));
        let trouble = page.trouble.clone().map(|cause| {
            view! {
                <div class=format!("data-fact is-{}", Tone::Danger.as_str())>
                    <dt>{words.get().data().alerts_stopped}</dt>
                    <dd>
                        <Name text=cause />
                    </dd>
                </div>
            }
        });
        let section = view! {
            <section class="data-part" aria-labelledby="alert-channels">
                <h3 id="alert-channels">{words.get().data().alerts}</h3>
                <dl>{trouble} {sinks.collect_view()} {dead.collect_view()}</dl>
                <a class="link" href=paths::alert_rules()>
                    {words.get().alert_rules().title}
                </a>
            </section>
        };
        Some(section)
    }
}

/// Presses of the buttons, which send one request at a time each.
#[derive(Clone, Copy)]
struct AlertPress {
    page: Fetch<AlertsPage>,
    hub: HubState,
    toasts: Toasts,
    preferences: Preferences,
    words: I18n,
    /// Buttons whose request is pending: the name of a channel, or the number of a message.
    busy: RwSignal<BTreeSet<String>>,
    allowed: Memo<bool>,
    /// This browser's own subscription.
    device: PushDevice,
}

impl AlertPress {
    fn new(page: Fetch<AlertsPage>) -> Self {
        Self {
            page,
            hub: use_hub(),
            toasts: use_toasts(),
            preferences: use_preferences(),
            words: use_i18n(),
            busy: RwSignal::default(),
            allowed: use_rights().may_categorize(),
            device: use_push_device(),
        }
    }

    fn set_busy(self, button: String) {
        self.busy.update(|busy| {
            busy.insert(button);
        });
    }

    /// A button for those who may press it, disabled while its request is pending; `key` is its place in `busy`.
    fn button(
        self,
        key: String,
        label: String,
        text: &'static str,
        send: impl Fn() + Clone + Send + 'static,
    ) -> AnyView {
        let button = move || {
            let (key, label, send) = (key.clone(), label.clone(), send.clone());
            let is_busy = move || self.busy.with(|busy| busy.contains(&key));
            self.allowed.get().then(|| {
                view! {
                    <button
                        type="button"
                        class="button is-small"
                        aria-label=label
                        disabled=is_busy
                        on:click=move |_| send()
                    >
                        {text}
                    </button>
                }
            })
        };
        button.into_any()
    }

    /// Sends a test to a channel.
    fn test(self, sink: String) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        self.set_busy(sink.clone());
        spawn_local(async move {
            let answer = source.test_alert(&AlertTest { sink: sink.clone(), receiver: None }).await;
            self.busy.try_update(|busy| busy.remove(&sink));
            let data = self.words.now().data();
            match answer {
                Ok(message) if message.status == MessageStatus::Sent => {
                    self.toasts.done((data.alert_tested)(&sink));
                }
                Ok(message) => self.toasts.failed((data.alert_test_failed)(&sink, &message.cause.unwrap_or_default())),
                Err(error) => self.toasts.failed(error.sentence(self.words.now())),
            }
            self.page.refetch();
        });
    }

    /// Sends a browser nothing any more.
    fn remove(self, id: String) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        self.set_busy(id.clone());
        spawn_local(async move {
            if let Err(error) = source.unsubscribe_push(&id).await {
                self.toasts.failed(error.sentence(self.words.now()));
            } else if self.device.get_untracked().as_ref() == Some(&id) {
                self.device.clear();
            }
            self.busy.try_update(|busy| busy.remove(&id));
            self.page.refetch();
        });
    }

    /// Sends a message again.
    fn retry(self, id: u64) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        self.set_busy(id.to_string());
        spawn_local(async move {
            let retry = AlertRetry { id, updated_by: self.preferences.author() };
            if let Err(error) = source.retry_alert(&retry).await {
                self.toasts.failed(error.sentence(self.words.now()));
            }
            self.busy.try_update(|busy| busy.remove(&id.to_string()));
            self.page.refetch();
        });
    }
}

/// A channel: where it leads, what became of its newest message, and its test.
fn channel(sink: AlertSinkInfo, now: i64, words: I18n, press: AlertPress) -> AnyView {
    let data = words.get().data();
    let at = |at: i64| time::relative(words.locale(), now, at);
    let (tone, state) = match sink.state {
        AlertSinkState::Failing => (Tone::Danger, (data.alert_failing)(&at(sink.last_failure.unwrap_or(now)))),
        AlertSinkState::Ok => (Tone::Neutral, (data.alert_sent)(&at(sink.last_sent.unwrap_or(now)))),
        AlertSinkState::Unused | AlertSinkState::Unknown => (Tone::Neutral, data.alert_unused.to_owned()),
    };
    let cause = sink.cause.clone().filter(|_| sink.state == AlertSinkState::Failing);
    let pending = (sink.pending > 0).then(|| (data.alert_pending)(sink.pending));
    let is_push = sink.public_key.is_some();
    let address = [sink.kind.as_str(), &sink.address].into_iter().filter(|part| !part.is_empty());
    let address = address.collect::<Vec<_>>().join(" · ");
    let receivers = sink.receivers.iter().cloned().map(|browser| receiver(browser, now, words, press)).collect_view();
    let no_receivers = (is_push && sink.receivers.is_empty()).then(|| view! { <li>{data.push_nobody}</li> });
    let name = sink.name.clone();
    let test_of = (data.alert_test_of)(&name);
    view! {
        <div class=format!("data-fact is-{}", tone.as_str())>
            <dt>
                <Name text=sink.name />
            </dt>
            <dd>
                {state}
                <ul>
                    <li>
                        {address}
                        {cause.map(|cause| view! { <code><Name text=cause /></code> })}
                    </li>
                    {pending.map(|pending| view! { <li>{pending}</li> })}
                    {no_receivers}
                    {receivers}
                </ul>
                {(!is_push).then(|| press.button(name.clone(), test_of, data.alert_test, move || press.test(name.clone())))}
            </dd>
        </div>
    }
    .into_any()
}

/// A browser that gets push messages, and its removal.
fn receiver(browser: AlertReceiver, now: i64, words: I18n, press: AlertPress) -> AnyView {
    let data = words.get().data();
    let name = if browser.name.is_empty() { data.push_browser.to_owned() } else { browser.name };
    let since = (data.push_since)(&time::relative(words.locale(), now, browser.since));
    let facts: Vec<String> = browser.by.into_iter().chain([since]).collect();
    let label = (data.push_remove_of)(&name);
    let id = browser.id;
    view! {
        <li>
            <Name text=name />
            {format!(" · {} ", facts.join(" · "))}
            {press.button(id.clone(), label, data.push_remove, move || press.remove(id.clone()))}
        </li>
    }
    .into_any()
}

/// A message that was given up: what it was about, why, and another attempt.
fn dead_letter(message: AlertMessage, now: i64, words: I18n, press: AlertPress) -> AnyView {
    let home = &words.get().home;
    let first = message.lines.first().map(|line| {
        let kind = (home.attention)(line.kind).to_owned();
        let parts = [kind, line.agent.clone(), line.title.clone()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    });
    let data = words.get().data();
    let is_recap = message.form == MessageForm::Recap;
    let other = || if is_recap { (data.alert_recap)(&message.rule) } else { data.alert_test_message.to_owned() };
    let what = first.unwrap_or_else(other);
    let id = message.id;
    let others = if is_recap { 0 } else { message.count.saturating_sub(1) };
    let more = (others > 0).then(|| format!(" {}", (data.alert_more)(others)));
    let at = time::relative(words.locale(), now, message.settled_at);
    view! {
        <div class=format!("data-fact is-{}", Tone::Danger.as_str())>
            <dt>{data.alert_dead}</dt>
            <dd>
                <Name text=what />
                {more}
                <ul>
                    <li>
                        {format!("{} · {at}", message.sink)}
                        {message.cause.map(|cause| view! { <code><Name text=cause /></code> })}
                    </li>
                </ul>
                {press.button(id.to_string(), data.alert_retry.to_owned(), data.alert_retry, move || press.retry(id))}
            </dd>
        </div>
    }
    .into_any()
}
