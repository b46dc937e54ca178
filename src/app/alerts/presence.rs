//! Presence of the reader: whether somebody looks at the dashboard, in this tab or another one. Also the choice of the tab
//! that notifies for all, and the number on the icon of the installed app.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::routes;
use crate::state::storage;

/// Where the tab that has the focus says so, for the others.
const FOCUS_KEY: &str = "task-hub.focus";
/// A tab that has the focus says so this often.
const ANNOUNCE_MS: u64 = 5_000;
/// What it said holds for so long.
const FOCUS_LASTS_MS: f64 = 12_000.0;

/// Where the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReaderFocus {
    /// At home, where every line is.
    Home,
    /// At another page.
    OtherPage,
    /// At something else than the dashboard.
    Away,
}

/// Follows the focus of the tabs.
#[derive(Clone, Copy)]
pub(super) struct Presence {
    at_home: Signal<bool>,
    /// This tab notifies.
    notifies: RwSignal<bool>,
    /// Number of this tab, by chance.
    tab: u32,
}

impl Presence {
    pub(super) fn new(at_home: Signal<bool>) -> Self {
        let tab = (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
        let presence = Self { at_home, notifies: RwSignal::new(false), tab };
        hold_lock(move || presence.notifies.set(true));
        presence.announce();
        set_interval(move || presence.announce(), std::time::Duration::from_millis(ANNOUNCE_MS));
        window_event_listener(ev::focus, move |_| presence.announce());
        // Another page is another place.
        Effect::new(move |_| {
            at_home.track();
            presence.announce();
        });
        window_event_listener(ev::blur, move |_| presence.leave());
        window_event_listener(ev::pagehide, move |_| presence.leave());
        presence
    }

    /// Where the reader is; absent in a tab that does not notify.
    pub(super) fn reader_focus(self) -> Option<ReaderFocus> {
        let own = self.own_focus();
        self.notifies.get_untracked().then(|| if own == ReaderFocus::Away { self.in_other_tab() } else { own })
    }

    fn own_focus(self) -> ReaderFocus {
        match (!document().hidden() && document().has_focus().unwrap_or(false), self.at_home.get_untracked()) {
            (false, _) => ReaderFocus::Away,
            (true, true) => ReaderFocus::Home,
            (true, false) => ReaderFocus::OtherPage,
        }
    }

    fn announce(self) {
        let home = match self.own_focus() {
            ReaderFocus::Away => return,
            look => look == ReaderFocus::Home,
        };
        if let Some(storage) = storage() {
            let said = format!("{} {} {}", self.tab, js_sys::Date::now(), u8::from(home));
            storage.set_item(FOCUS_KEY, &said).unwrap_or_default();
        }
    }

    /// The focus is gone. What another tab said meanwhile stays.
    fn leave(self) {
        let is_own = |said: &String| said.split(' ').next() == Some(&self.tab.to_string());
        if let Some(storage) = storage()
            && storage.get_item(FOCUS_KEY).ok().flatten().is_some_and(|said| is_own(&said))
        {
            storage.remove_item(FOCUS_KEY).unwrap_or_default();
        }
    }

    /// What another tab said last.
    fn in_other_tab(self) -> ReaderFocus {
        let said = storage().and_then(|storage| storage.get_item(FOCUS_KEY).ok().flatten()).unwrap_or_default();
        let mut parts = said.split(' ');
        let is_own = parts.next() == Some(&self.tab.to_string());
        let at = parts.next().and_then(|at| at.parse::<f64>().ok());
        match (at.filter(|at| !is_own && (js_sys::Date::now() - at).abs() < FOCUS_LASTS_MS), parts.next()) {
            (None, _) => ReaderFocus::Away,
            (Some(_), Some("1")) => ReaderFocus::Home,
            (Some(_), _) => ReaderFocus::OtherPage,
        }
    }
}

/// Runs `then` when no other tab of this dashboard holds the lock, and holds it until the page ends. A browser without
/// locks lets each tab run it.
fn hold_lock(then: impl FnOnce() + 'static) {
    let navigator = window().navigator();
    let get = |object: &JsValue, name: &str| js_sys::Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let locks = get(&navigator, "locks");
    let Some(request) = locks.is_object().then(|| get(&locks, "request").dyn_into::<js_sys::Function>().ok()).flatten()
    else {
        then();
        return;
    };
    let hold = Closure::once_into_js(move || {
        then();
        js_sys::Promise::new(&mut |_, _| {})
    });
    let name = format!("task-hub.alerts {}", routes::base());
    drop(request.call2(&locks, &name.into(), &hold));
}

/// Shows the number on the icon of the installed app. While it is not known, nothing is shown.
pub(super) fn follow_badge(count: Memo<Option<usize>>) {
    Effect::new(move |_| {
        if let Some(count) = count.get() {
            set_badge(count);
        }
    });
    window_event_listener(ev::pagehide, move |_| set_badge(0));
}

/// Browsers without badges have no such function.
fn set_badge(count: usize) {
    let navigator = window().navigator();
    let name = if count > 0 { "setAppBadge" } else { "clearAppBadge" };
    let Ok(badge) = js_sys::Reflect::get(&navigator, &name.into()) else { return };
    let Ok(badge) = badge.dyn_into::<js_sys::Function>() else { return };
    let promise = match count {
        0 => badge.call0(&navigator),
        count => badge.call1(&navigator, &JsValue::from_f64(count as f64)),
    };
    if let Some(promise) = promise.ok().and_then(|promise| promise.dyn_into::<js_sys::Promise>().ok()) {
        // Refused where the page is not installed.
        leptos::task::spawn_local(async move { drop(wasm_bindgen_futures::JsFuture::from(promise).await) });
    }
}
