//! Rights of the person at this page, so that nothing is offered that the monitor would refuse. They are requested
//! once, when something first depends on them.

use coordination::api::Me;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::hub::HubState;

/// What the person may do. Until the monitor has answered, and if it knows no rights, everything is offered.
#[derive(Clone, Copy)]
pub struct Rights {
    me: RwSignal<Option<Me>>,
    /// Something depends on the answer.
    wanted: RwSignal<bool>,
}

impl Rights {
    pub(super) fn new(hub: HubState) -> Self {
        let rights = Self { me: RwSignal::new(None), wanted: RwSignal::new(false) };
        Effect::new(move |requested: Option<bool>| {
            let requested = requested.unwrap_or_default();
            let source = hub.source.get().filter(|_| rights.wanted.get());
            let (false, Some(source)) = (requested, source) else { return requested };
            spawn_local(async move {
                // An older monitor knows no rights, and refuses for itself.
                if let Ok(me) = source.me().await {
                    rights.me.set(Some(me));
                }
            });
            true
        });
        rights
    }

    /// May change categories, classifier rules, notes and views for everybody. Reactive.
    pub fn may_categorize(self) -> Signal<bool> {
        self.want();
        Signal::derive(move || self.me.with(|me| me.as_ref().is_none_or(|me| me.may_categorize)))
    }

    /// Name that a proxy gives the person. Reactive.
    pub fn user(self) -> Signal<Option<String>> {
        self.want();
        Signal::derive(move || self.me.with(|me| me.as_ref().and_then(|me| me.user.clone())))
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
