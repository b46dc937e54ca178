//! Rights of the person at this page, so that nothing is offered that the monitor would refuse. They are requested once,
//! when something first depends on them.

use coordination::api::{ErrorCode, Me};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::hub::HubState;

/// Between two tries to learn the rights.
const RETRY_MS: u32 = 5_000;

/// What the person may do.
#[derive(Clone, Copy)]
pub struct Rights {
    me: RwSignal<Option<Me>>,
    /// The monitor knows no rights.
    unsupported: RwSignal<bool>,
    hub: HubState,
    /// Something depends on the answer.
    wanted: RwSignal<bool>,
}

impl Rights {
    pub(super) fn new(hub: HubState) -> Self {
        let rights =
            Self { me: RwSignal::new(None), unsupported: RwSignal::new(false), hub, wanted: RwSignal::new(false) };
        Effect::new(move |requested: Option<Option<bool>>| {
            // Opened files give other rights than the monitor.
            let shows_files = Some(hub.shows_files());
            let requested = requested.flatten();
            let source = hub.source.get().filter(|_| rights.wanted.get() && requested != shows_files);
            let Some(source) = source else { return requested };
            spawn_local(async move {
                loop {
                    match source.me().await {
                        Ok(me) => return rights.me.set(Some(me)),
                        Err(error) if error.is_transient() => TimeoutFuture::new(RETRY_MS).await,
                        // An older monitor knows no rights, and refuses for itself.
                        Err(_) => return rights.unsupported.set(true),
                    }
                }
            });
            shows_files
        });
        rights
    }

    /// May change categories and classifier rules. Offered until the monitor has answered, and if it knows no rights.
    pub fn may_categorize(self) -> Memo<bool> {
        self.is_allowed(true)
    }

    /// May write notes, marks and views for everybody. A monitor that knows no rights has none of them, and in opened
    /// files they can only be read.
    pub fn may_share(self) -> Memo<bool> {
        let (is_allowed, hub) = (self.is_allowed(false), self.hub);
        Memo::new(move |_| is_allowed.get() && !hub.shows_files())
    }

    fn is_allowed(self, unknown: bool) -> Memo<bool> {
        self.want();
        let is_allowed = move || self.me.with(|me| me.as_ref().map_or(unknown, |me| me.may_categorize));
        // The past cannot be changed.
        Memo::new(move |_| self.hub.moment.with(Option::is_none) && is_allowed())
    }

    /// Why the person may not change anything, as the code of the refusal.
    pub fn refusal(self) -> Memo<ErrorCode> {
        self.want();
        let read_only = move || self.me.with(|me| me.as_ref().is_some_and(|me| me.read_only));
        Memo::new(move |_| if read_only() { ErrorCode::ReadOnly } else { ErrorCode::Forbidden })
    }

    /// Whether the monitor has answered.
    pub fn known(self) -> Memo<bool> {
        self.want();
        Memo::new(move |_| self.me.with(Option::is_some))
    }

    /// Name that a proxy gives the person.
    pub fn user(self) -> Memo<Option<String>> {
        self.want();
        Memo::new(move |_| self.me.with(|me| me.as_ref().and_then(|me| me.user.clone())))
    }

    /// Whether a proxy names the person; none until that is known. A monitor that knows no rights knows no people.
    pub fn is_named(self) -> Memo<Option<bool>> {
        self.want();
        let is_named = move || self.me.with(|me| me.as_ref().map(|me| me.user.is_some()));
        Memo::new(move |_| is_named().or_else(|| self.unsupported.get().then_some(false)))
    }

    fn want(self) {
        if !self.wanted.get_untracked() {
            self.wanted.set(true);
        }
    }
}

/// What the person at this page may do.
pub fn use_rights() -> Rights {
    expect_context()
}
