//! Alerts of this browser about matters that a person has to settle: their number on the icon of the installed app and
//! in the title of a hidden tab, and notifications of new ones while nobody looks at them. One tab notifies for all.

mod notification;
mod presence;
mod push;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use coordination::alerts::{Alert, AlertRule, AlertTracker, WatchedLine};
use coordination::api::{Attention, AttentionGroup, SourceState};
use leptos::ev;
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::presence::{Presence, ReaderFocus};
use super::shell::{MenuItem, use_place};
use crate::components::attention_list::{alert_text, subject_link};
use crate::components::people::{PeopleNames, use_people};
use crate::i18n::{I18n, use_i18n};
use crate::lazy_chunks::lazy_chunk;
use crate::queries::{use_go, use_title_count};
use crate::routes::paths;
use crate::state::{
    PageClock, PushDevice, use_alert_choice, use_clock, use_connection, use_hub, use_push_device, use_snoozed,
};

pub(super) use notification::{NotificationText, Permission, ask_permission, permission, show};
pub(super) use push::{is_supported as is_push_supported, push_sink, use_push};

/// More new lines than this at a time are one notification.
const MAX_NOTIFICATIONS: usize = 3;
/// New lines are collected for this long.
const COLLECT_TIME: Duration = Duration::from_secs(2);
/// Tag of the notification of many lines.
const SUMMARY_TAG: &str = "many";
/// Tag of a test that the monitor sends.
const TEST_TAG: &str = "test";

lazy_chunk!(
    tools,
    load_follow,
    fn follow_part(owner: Owner) -> () {
        owner.with(follow);
    }
);

/// Follows the work list for the life of the page, once the code for it is loaded.
pub(super) fn follow_later() {
    let owner = Owner::current().unwrap_or_default();
    spawn_local(async move { follow_part(owner).await.unwrap_or_default() });
}

fn follow() {
    let (hub, connection, choice) = (use_hub(), use_connection(), use_alert_choice());
    let (snoozed, now, go) = (use_snoozed(), use_clock().running_coarse(), use_go());
    let lines = Memo::new(move |_| {
        let of_person = |line: &&Attention| line.group() == AttentionGroup::Person;
        let watched = |line: &Attention| WatchedLine { line: line.clone(), muted: snoozed.hides(line, now.get()) };
        // Nobody is alerted of matters in opened files.
        hub.present.with(|home| {
            Some(
                home.as_ref()
                    .filter(|_| !hub.shows_files())?
                    .attention
                    .iter()
                    .filter(of_person)
                    .map(watched)
                    .collect::<Vec<_>>(),
            )
        })
    });
    let count = Memo::new(move |_| lines.with(|lines| Some(lines.as_ref()?.iter().filter(|it| !it.muted).count())));
    presence::follow_badge(count);
    let hidden = RwSignal::new(document().hidden());
    let title = use_title_count().0;
    Effect::new(move |_| title.set(if hidden.get() { count.get().unwrap_or(0) } else { 0 }));
    let open = Callback::new(move |path: String| go.to(&path));
    notification::follow_clicks(open);
    push::renew_later();
    let place = use_place();
    let alerts = Alerts {
        state: StoredValue::new_local(AlertState::default()),
        presence: Presence::new(Signal::derive(move || place.get() == Some(MenuItem::Home))),
        again: RwSignal::new(()),
        words: use_i18n(),
        people: use_people(),
        clock: use_clock(),
        pushed: use_push_device(),
        open,
    };
    let leave = move || {
        hidden.set(document().hidden());
        alerts.flush();
    };
    window_event_listener(ev::visibilitychange, move |_| leave());
    window_event_listener(ev::blur, move |_| leave());
    // A monitor that starts has read only the beginning of its files.
    let is_read = Memo::new(move |_| {
        let is_starting = |state| matches!(state, SourceState::Starting);
        connection.fresh() && hub.present.with(|home| home.as_ref().is_some_and(|home| !is_starting(home.source.state)))
    });
    let incomplete = hub.incomplete();
    // Lines for a person come first: the list was cut among them only if it has no others.
    let is_cut = Memo::new(move |_| {
        let is_other = |line: &Attention| line.group() != AttentionGroup::Person;
        hub.present
            .with(|home| home.as_ref().is_some_and(|home| home.attention_more && !home.attention.iter().any(is_other)))
    });
    Effect::new(move |_| {
        // A line may be due by time alone.
        now.track();
        alerts.again.track();
        let is_complete = !is_cut.get() && !incomplete.get();
        match (choice.get().rule(), lines.get()) {
            (None, _) => alerts.state.set_value(AlertState::default()),
            (Some(rule), Some(lines)) if is_read.get() => untrack(|| alerts.update(&lines, is_complete, rule)),
            _ => {}
        }
    });
}

/// What was alerted, and what is to be shown.
#[derive(Default)]
struct AlertState {
    /// None before the first list.
    tracker: Option<AlertTracker>,
    /// Lines that are due and were not shown, by key.
    pending: BTreeMap<String, Attention>,
    /// Keys of the lines that share one notification.
    summarized: BTreeSet<String>,
    /// A flush is planned.
    is_collecting: bool,
    /// Timer of the next line that is due by time alone.
    next_due: Option<TimeoutHandle>,
}

/// Alerts of the page.
#[derive(Clone, Copy)]
struct Alerts {
    state: StoredValue<AlertState, LocalStorage>,
    presence: Presence,
    /// Looks at the lines again.
    again: RwSignal<()>,
    words: I18n,
    people: PeopleNames,
    clock: PageClock,
    /// Whether the monitor notifies this browser itself.
    pushed: PushDevice,
    /// Goes to a page.
    open: Callback<String>,
}

impl Alerts {
    /// Takes the lines of a moment.
    fn update(self, lines: &[WatchedLine], is_complete: bool, rule: AlertRule) {
        let now = self.clock.running();
        // What appears before the reader's eyes is no news.
        let is_seen = self.presence.reader_focus() == Some(ReaderFocus::Home);
        let collects = self.state.try_update_value(|state| {
            let Some(tracker) = &mut state.tracker else {
                state.tracker = Some(AlertTracker::from_seen(lines, rule, now));
                // Of matters that were settled while no page was open. A test may just have arrived.
                if is_complete {
                    let open = lines.iter().map(|watched| watched.line.alert_key());
                    notification::close_others(open.chain([TEST_TAG.to_owned()]).collect());
                }
                self.plan_next(state, rule, now);
                return false;
            };
            for alert in tracker.update(lines, is_complete, rule, now) {
                match alert {
                    Alert::Due(_) if is_seen => {}
                    Alert::Due(line) => _ = state.pending.insert(line.alert_key(), *line),
                    Alert::Over(key) => {
                        state.pending.remove(&key);
                        if state.summarized.remove(&key) && state.summarized.is_empty() {
                            notification::close(SUMMARY_TAG.to_owned());
                        }
                        notification::close(key);
                    }
                }
            }
            self.plan_next(state, rule, now);
            !state.pending.is_empty() && !std::mem::replace(&mut state.is_collecting, true)
        });
        if collects == Some(true) {
            set_timeout(
                move || {
                    self.state.try_update_value(|state| state.is_collecting = false);
                    self.flush();
                },
                COLLECT_TIME,
            );
        }
    }

    /// Looks again when the next line is due.
    fn plan_next(self, state: &mut AlertState, rule: AlertRule, now: i64) {
        if let Some(planned) = state.next_due.take() {
            planned.clear();
        }
        let due = state.tracker.as_ref().and_then(|tracker| tracker.next_due(rule));
        let wait = due.map(|due| u64::try_from(due.saturating_sub(now)).unwrap_or(0).max(200));
        let again = move |wait| set_timeout_with_handle(move || self.again.set(()), Duration::from_millis(wait)).ok();
        state.next_due = wait.and_then(again);
    }

    /// Shows what is due, unless somebody looks at the dashboard. What is on their screen is not shown later either.
    fn flush(self) {
        let focus = self.presence.reader_focus();
        self.state.try_update_value(|state| match focus {
            // Another tab shows it.
            None | Some(ReaderFocus::Home) => drop(std::mem::take(&mut state.pending)),
            _ if self.pushed.get_untracked().is_some() => drop(std::mem::take(&mut state.pending)),
            Some(ReaderFocus::OtherPage) => {}
            Some(ReaderFocus::Away) if permission() == Permission::Granted => {
                let due = std::mem::take(&mut state.pending);
                if due.len() > MAX_NOTIFICATIONS {
                    state.summarized.extend(due.keys().cloned());
                }
                self.show(due);
            }
            Some(ReaderFocus::Away) => {}
        });
    }

    fn show(self, due: BTreeMap<String, Attention>) {
        let (words, people) = (self.words, self.people);
        untrack(|| {
            if due.len() > MAX_NOTIFICATIONS {
                let texts = due.values().take(MAX_NOTIFICATIONS).map(|line| alert_text(line, words, people));
                let body: Vec<String> = texts.map(|(title, _)| title).collect();
                let title = (words.get().home.new_lines)(due.len());
                let tag = SUMMARY_TAG.to_owned();
                show(NotificationText { title, body: body.join("\n"), tag, path: paths::home() }, self.open);
                return;
            }
            for (tag, line) in due {
                let (title, body) = alert_text(&line, words, people);
                show(NotificationText { title, body, tag, path: subject_link(&line) }, self.open);
            }
        });
    }
}
