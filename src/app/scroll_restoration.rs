//! Scroll and focus restoration. A newly opened page has the focus at its heading. Back and Forward restore the earlier
//! scroll position and the focused element.
//!
//! The browser cannot do this alone, because the lists of the page must be loaded first.

use leptos::ev;
use leptos::prelude::*;
use leptos_router::hooks::use_url;
use leptos_router::location::Url;
use wasm_bindgen::{JsCast, JsValue};

use super::landmark::{self, visible};
use crate::routes;
use crate::state::{HistoryState, use_history_state};
use crate::ui::selectors::OPEN_DIALOG;

const SCROLL_KEY: &str = "y";
const FOCUS_KEY: &str = "focus";
/// A page is brought to its place within this, once its lists are there, and they are waited for this long.
const RESTORE_TIMEOUT_MS: f64 = 8_000.0;
const LOADING_TIMEOUT_MS: f64 = 60_000.0;
/// At most this much of the time between two frames counts as waited: a page that draws for seconds checks nothing
/// meanwhile.
const MAX_FRAME_MS: f64 = 100.0;
/// The page must keep its position for this many frames: rows far from the screen are drawn and removed meanwhile,
/// and the browser may correct the scroll position for them.
const STILL_FRAMES: u32 = 20;
/// A focus lost to a change on the same page is restored within this.
const FOCUS_RETURN_MS: f64 = 400.0;
/// Frames in which an element is waited for once the page's lists are there.
const FOCUS_LOOKUP_FRAMES: u32 = 40;
/// The router writes the address a moment after it drew the page; frames until it counts as not written.
const ADDRESS_WAIT_FRAMES: u32 = 10;

/// Follows the user.
#[derive(Clone, Copy)]
pub(super) struct ScrollRestoration {
    places: HistoryState,
    way: StoredValue<NavState>,
}

/// Where the user is between two addresses.
#[derive(Default)]
struct NavState {
    stage: NavStage,
    went_back: bool,
    /// The address on screen, once it is drawn and written.
    at: String,
    /// What the page is being brought to; none once it is there.
    aim: Option<RestoreTarget>,
    /// Counts addresses and aims, so that a newer one ends what an older one still waits for.
    count: u32,
    /// The user scrolled or pressed something since.
    acted: bool,
}

/// What scrolls and takes the focus is the user's doing only on a page that is there.
#[derive(Clone, Copy, Default, PartialEq)]
enum NavStage {
    #[default]
    There,
    /// Between two entries.
    BetweenEntries,
    /// The page is being brought to its place.
    Seeking,
}

/// What a page should be brought to.
#[derive(Clone)]
struct RestoreTarget {
    scroll: Option<i32>,
    /// For how many frames the page has kept the position.
    still: u32,
    focus: Focus,
    /// Time of the newest frame, in milliseconds since the page started.
    last: f64,
    until: f64,
    /// How long lists are waited for.
    latest: f64,
}

impl RestoreTarget {
    /// Notes that a frame was drawn; the time spent drawing does not count as waited.
    fn pass(&mut self, now: f64) {
        self.until += (now - self.last - MAX_FRAME_MS).max(0.0);
        self.last = now;
    }
}

#[derive(Clone, PartialEq)]
enum Focus {
    /// The element named, else the heading; looked for in so many more frames, because rows far from the screen are
    /// drawn only after the page was scrolled there.
    Back(String, u32),
    Heading,
    /// The heading, only when nothing has the focus any more.
    IfLost,
    Settled,
}

impl ScrollRestoration {
    /// Starts before the router, so that it receives `popstate` first.
    pub(super) fn start() -> Self {
        let scroll_restoration =
            Self { places: use_history_state(), way: StoredValue::new(NavState { at: here(), ..NavState::default() }) };
        let known = entry_of_history();
        scroll_restoration.places.enter(known.unwrap_or_else(|| scroll_restoration.name_entry()));
        if let Ok(history) = window().history() {
            history.set_scroll_restoration(web_sys::ScrollRestoration::Manual).unwrap_or_default();
        }
        scroll_restoration.listen();
        // A reload keeps the scroll position; the browser restores the focus.
        if let Some(scroll) = scroll_restoration.stored_scroll() {
            scroll_restoration.seek(Some(scroll), Focus::Settled);
        }
        scroll_restoration
    }

    fn listen(self) {
        let places = self.places;
        // All of them live as long as the page.
        let _back = window_event_listener(ev::popstate, move |_| {
            self.set(NavStage::BetweenEntries);
            self.way.update_value(|way| way.went_back = true);
            places.enter(entry_of_history().unwrap_or_else(|| self.name_entry()));
        });
        let _scroll = window_event_listener(ev::scroll, move |_| {
            if self.stage() == NavStage::There {
                self.keep_scroll();
            }
        });
        let _focus = window_event_listener(ev::focusin, move |event| {
            let named = event.target().and_then(|target| landmark::name(target.dyn_ref()?));
            if let (NavStage::There, Some(named)) = (self.stage(), named) {
                places.store_value(FOCUS_KEY, named);
            }
        });
        for act in ["wheel", "touchmove", "pointerdown", "keydown"] {
            let _act = window_event_listener_untyped(act, move |_| self.act());
        }
        let _leave = window_event_listener(ev::pagehide, move |_| places.store());
    }

    /// Follows the router's address. Called below the router.
    pub(super) fn follow(self) {
        let url = use_url();
        // Focus, scroll and history belong to the browser.
        Effect::new(move |before: Option<()>| {
            let now = url.with(address);
            if before.is_some() {
                self.set(NavStage::BetweenEntries);
                self.arrive(now, self.next(), ADDRESS_WAIT_FRAMES);
            }
        });
    }

    /// The user does something. From then on the page is theirs, wherever it was being brought to: what takes the
    /// focus now is what Back leads to later.
    fn act(self) {
        self.way.update_value(|way| way.acted = true);
        if self.stage() == NavStage::Seeking {
            self.settle();
        }
    }

    fn stage(self) -> NavStage {
        self.way.with_value(|way| way.stage)
    }

    fn set(self, stage: NavStage) {
        self.way.update_value(|way| way.stage = stage);
    }

    /// The scroll position has settled.
    fn settle(self) {
        self.set(NavStage::There);
        self.keep_scroll();
    }

    fn next(self) -> u32 {
        self.way.update_value(|way| way.count += 1);
        self.way.with_value(|way| way.count)
    }

    /// Once the page is drawn: names the entry, then brings the page to where it should be.
    fn arrive(self, now: String, number: u32, frames: u32) {
        request_animation_frame(move || {
            if self.way.with_value(|way| way.count) != number {
                return;
            }
            let written = here() == plain(&now);
            if !written && frames > 0 {
                return self.arrive(now, number, frames - 1);
            }
            let back = self.way.with_value(|way| way.went_back);
            let named = entry_of_history().is_some_and(|entry| entry == self.places.entry());
            self.way.update_value(|way| way.went_back = false);
            let before = self.way.with_value(|way| way.at.clone());
            self.way.update_value(|way| way.at = now.clone());
            if !written {
                // After a Back, the router takes some addresses for the one on screen and does not write them.
                self.name_new_entry(Some(&now));
            } else if !back && !named {
                self.name_new_entry(None);
            } else if let (false, Some(aim)) = (back, self.way.with_value(|way| way.aim.clone())) {
                // The page only rewrote its own address while the position is still being restored.
                self.set(if aim.scroll.is_some() { NavStage::Seeking } else { NavStage::There });
                return self.pursue(aim);
            }
            let focus = match self.places.stored_value(FOCUS_KEY).filter(|_| back) {
                Some(named) => Focus::Back(named, FOCUS_LOOKUP_FRAMES),
                None if about(&before) != about(&now) => Focus::Heading,
                None => Focus::IfLost,
            };
            self.seek(self.stored_scroll().filter(|_| back), focus);
        });
    }

    /// Brings the page there, frame by frame, until the user does something else or it takes too long.
    fn seek(self, scroll: Option<i32>, focus: Focus) {
        if scroll.is_some() {
            self.set(NavStage::Seeking);
        } else {
            self.settle();
        }
        self.way.update_value(|way| way.acted = false);
        let patience = if focus == Focus::IfLost && scroll.is_none() { FOCUS_RETURN_MS } else { RESTORE_TIMEOUT_MS };
        let now = since_start();
        self.pursue(RestoreTarget {
            scroll,
            still: 0,
            focus,
            last: now,
            until: now + patience,
            latest: now + LOADING_TIMEOUT_MS,
        });
    }

    fn pursue(self, aim: RestoreTarget) {
        self.way.update_value(|way| way.aim = Some(aim));
        self.step(self.next());
    }

    fn step(self, number: u32) {
        request_animation_frame(move || {
            // Between two addresses nothing is aimed at: the page on screen is not the one meant.
            let aim = self.way.with_value(|way| way.aim.clone().filter(|_| way.count == number));
            let Some(mut aim) = aim else { return };
            let loading = landmark::is_loading();
            let acted = self.way.with_value(|way| way.acted);
            let now = since_start();
            aim.pass(now);
            // A slow monitor is no reason to lose the place.
            if loading && patient(&aim.focus, aim.scroll) && now < aim.latest {
                aim.until = now + RESTORE_TIMEOUT_MS;
            }
            let over = acted || now > aim.until;
            if let Some(y) = aim.scroll.filter(|_| !acted) {
                let moved = (scroll_y() - y).abs() >= 2;
                window().scroll_to_with_x_and_y(0.0, f64::from(y));
                aim.still = if moved || loading { 0 } else { aim.still + 1 };
                aim.scroll = aim.scroll.filter(|_| !over && aim.still < STILL_FRAMES);
            } else {
                aim.scroll = None;
            }
            if aim.scroll.is_none() && self.stage() == NavStage::Seeking {
                self.settle();
            }
            aim.focus = focus(aim.focus, loading, over);
            let done = over || (aim.scroll.is_none() && aim.focus == Focus::Settled);
            self.way.update_value(|way| way.aim = (!done).then_some(aim));
            if !done {
                self.step(number);
            }
        });
    }

    fn stored_scroll(self) -> Option<i32> {
        self.places.stored_value(SCROLL_KEY)?.parse().ok()
    }

    fn keep_scroll(self) {
        self.places.store_value(SCROLL_KEY, scroll_y().to_string());
    }

    /// Gives the entry on screen a name of its own.
    fn name_entry(self) -> String {
        let name = self.places.new_entry();
        if let Ok(history) = window().history() {
            history.replace_state_with_url(&JsValue::from_str(&name), "", None).unwrap_or_default();
        }
        name
    }

    fn name_new_entry(self, push: Option<&str>) {
        if let (Some(address), Ok(history)) = (push, window().history()) {
            history.push_state_with_url(&JsValue::NULL, "", Some(address)).unwrap_or_default();
        }
        self.places.enter(self.name_entry());
    }
}

/// True for what waits for lists: a place to go back to.
fn patient(focus: &Focus, scroll: Option<i32>) -> bool {
    scroll.is_some() || matches!(focus, Focus::Back(..))
}

/// One try at the focus; what is left to do.
fn focus(aim: Focus, loading: bool, over: bool) -> Focus {
    let document = document();
    let lost = document.active_element().is_none_or(|element| element.tag_name() == "BODY");
    // An open dialog has the focus and gives it back itself.
    if over || document.query_selector(OPEN_DIALOG).ok().flatten().is_some() {
        return Focus::Settled;
    }
    let first = |selector| document.query_selector_all(selector).ok().and_then(|list| visible(&list));
    // A page that only shows why it is empty has no `h1`.
    let heading = || first("main h1").or_else(|| first("main h2").filter(|_| !loading));
    match aim {
        Focus::Back(named, looks) => match landmark::find(&named) {
            Some(element) => land(&element),
            None if loading => Focus::Back(named, looks),
            None if looks > 0 => Focus::Back(named, looks - 1),
            None => Focus::IfLost,
        },
        Focus::Heading => heading().map_or(Focus::Heading, |heading| land(&heading)),
        Focus::IfLost if lost => heading().map_or(Focus::IfLost, |heading| land(&heading)),
        other => other,
    }
}

fn land(element: &web_sys::HtmlElement) -> Focus {
    if matches!(element.tag_name().as_str(), "H1" | "H2") {
        element.set_attribute("tabindex", "-1").unwrap_or_default();
    }
    landmark::focus(element);
    Focus::Settled
}

fn scroll_y() -> i32 {
    window().scroll_y().unwrap_or_default().round() as i32
}

/// Milliseconds by a clock that nobody sets.
fn since_start() -> f64 {
    window().performance().map(|clock| clock.now()).unwrap_or_default()
}

/// The name of the history's own entry, when it has one.
fn entry_of_history() -> Option<String> {
    window().history().ok()?.state().ok()?.as_string()
}

fn address(url: &Url) -> String {
    let search = url.search();
    if search.is_empty() { url.path().to_owned() } else { format!("{}?{search}", url.path()) }
}

fn about(address: &str) -> &str {
    routes::subject(address.split('?').next().unwrap_or(address))
}

/// The browser's address in the same form.
fn here() -> String {
    let location = window().location();
    plain(&format!("{}{}", location.pathname().unwrap_or_default(), location.search().unwrap_or_default()))
}

fn plain(address: &str) -> String {
    js_sys::decode_uri(address).map_or_else(|_| address.to_owned(), String::from)
}

#[cfg(test)]
mod tests {
    use super::{Focus, RestoreTarget};

    #[test]
    fn time_spent_drawing_is_not_waited() {
        let mut aim = RestoreTarget {
            scroll: None,
            still: 0,
            focus: Focus::Heading,
            last: 0.0,
            until: 8_000.0,
            latest: 60_000.0,
        };
        (1..=10).for_each(|frame| aim.pass(f64::from(frame) * 16.0));
        assert_eq!(aim.until, 8_000.0, "frames of the usual length count whole");
        aim.pass(24_160.0);
        assert_eq!(aim.until - 24_160.0, 8_000.0 - 160.0 - 100.0, "a frame of 24 s counts as a tenth of a second");
    }
}
