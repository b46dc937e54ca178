//! Views for everybody: their query, their rows in the menu of saved views, and their changes. The monitor stores them in
//! the home.

use std::collections::HashMap;

use coordination::api::{
    SharedContent, SharedList, SharedPut, SharedQuery, SharedRecord, SharedRemoval, TeamView, is_own_path,
};
use coordination::text::hidden;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::i18n::messages::SavedViewsMessages;
use crate::i18n::{I18n, use_i18n};
use crate::queries::{Fetch, FetchOptions, use_fetch};
use crate::routes::kind_of;
use crate::state::{HubState, Preferences, SavedView, use_hub, use_preferences, use_rights};
use crate::ui::live_rows::LiveRows;
use crate::ui::more_menu::MenuAction;
use crate::ui::toast::{Toasts, use_toasts};

use super::views::{ViewRow, copy_view_link};

/// Views for everybody, and how to change them.
#[derive(Clone, Copy)]
pub struct TeamViews {
    fetch: Fetch<SharedList>,
    hub: HubState,
    preferences: Preferences,
    toasts: Toasts,
    words: I18n,
    /// Ids of views that are being shared, by their address: a repeated attempt writes the same record.
    new_ids: StoredValue<HashMap<String, String>>,
    /// The person may change them.
    pub allowed: Memo<bool>,
}

/// Asks for the views for everybody.
pub fn use_team_views() -> TeamViews {
    let options = FetchOptions::refetch_when(|change, ()| change.views || change.everything);
    let query = SharedQuery::default();
    let fetch = use_fetch(
        || (),
        options,
        move |source, ()| {
            let query = query.clone();
            async move { source.shared_records(&query).await }
        },
    );
    TeamViews {
        fetch,
        hub: use_hub(),
        preferences: use_preferences(),
        toasts: use_toasts(),
        words: use_i18n(),
        new_ids: StoredValue::new(HashMap::new()),
        allowed: use_rights().may_share(),
    }
}

/// The view of a shared record.
fn view_of(record: &SharedRecord) -> Option<&TeamView> {
    match &record.content {
        // Another program may have written the line.
        SharedContent::View(view) if is_own_path(&view.path) => Some(view),
        _ => None,
    }
}

impl TeamViews {
    /// The records whose view `fits`. Reactive.
    pub fn records(self, fits: impl Fn(&TeamView) -> bool) -> Vec<SharedRecord> {
        self.fetch.data.with(|list| {
            let records = list.iter().flat_map(|list| &list.records);
            records.filter(|record| view_of(record).is_some_and(&fits)).cloned().collect()
        })
    }

    /// The views that everybody has on home, with their ids. Reactive.
    pub fn on_home(self) -> Vec<(String, TeamView)> {
        let records = self.records(|view| view.home);
        records.iter().filter_map(|record| Some((record.id.clone(), view_of(record)?.clone()))).collect()
    }

    /// Whether the monitor stores such views. Reactive.
    pub fn is_offered(self) -> bool {
        self.fetch.data.with(Option::is_some) && self.allowed.get()
    }

    /// Writes a view; `on_done` is called when it is durable.
    pub fn put(self, id: String, expected: u32, view: TeamView, on_done: impl Fn() + 'static) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        let put = SharedPut {
            content: SharedContent::View(view),
            expected: Some(expected),
            updated_by: self.preferences.author(),
        };
        spawn_local(async move {
            match source.put_shared(&id, &put).await {
                Ok(_) => {
                    self.fetch.refetch();
                    on_done();
                }
                Err(error) => self.failed(&error.sentence(self.words.now())),
            }
        });
    }

    fn remove(self, record: SharedRecord) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        let Some(view) = view_of(&record).cloned() else { return };
        let removal = SharedRemoval { expected: Some(record.revision), updated_by: self.preferences.author() };
        spawn_local(async move {
            match source.remove_shared(&record.id, &removal).await {
                Ok(removed) => {
                    self.fetch.refetch();
                    let words = self.words.now();
                    self.toasts.done_with(
                        (words.views().taken_from_all)(&hidden::marked(&view.name)),
                        words.common.undo,
                        move || {
                            self.put(record.id.clone(), removed.revision, view.clone(), || {});
                        },
                    );
                }
                Err(error) => self.failed(&error.sentence(self.words.now())),
            }
        });
    }

    fn failed(self, cause: &str) {
        // Somebody else was first: what is in force now is shown.
        self.fetch.refetch();
        self.toasts.failed(cause.to_owned());
    }

    /// Makes a view of this browser one for everybody; `on_done` is called when it is durable.
    pub fn share(self, view: TeamView, on_done: impl Fn() + 'static) {
        let (name, path) = (view.name.clone(), view.path.clone());
        let mut id = new_record_id();
        self.new_ids.update_value(|ids| id.clone_from(ids.entry(path.clone()).or_insert_with(|| id.clone())));
        self.put(id, 0, view, move || {
            self.new_ids.try_update_value(|ids| ids.remove(&path));
            self.toasts.done((self.words.now().views().given_to_all)(&name));
            on_done();
        });
    }
}

/// Random id of a new shared record: 120 bits.
pub fn new_record_id() -> String {
    let part = || format!("{:010x}", (js_sys::Math::random() * 1_099_511_627_776.0) as u64);
    [part(), part(), part()].concat()
}

/// Views for everybody of the list on screen; nothing when there are none.
#[component]
pub fn TeamViewGroup(
    views: TeamViews,
    /// The address on screen.
    path: Memo<String>,
    on_open: Callback<()>,
) -> impl IntoView {
    let words = use_i18n();
    let shown = Memo::new(move |_| {
        let kind = path.with(|path| kind_of(path).to_owned());
        views.records(|view| kind_of(&view.path) == kind)
    });
    let row = move |record: Memo<SharedRecord>| {
        view! { <TeamViewRow record=record views=views path=path on_open=on_open /> }.into_any()
    };
    let any = Memo::new(move |_| shown.with(|records| !records.is_empty()));
    move || {
        any.get().then(|| {
            view! {
                <div role="group" aria-label=move || words.get().views().for_all>
                    <h3 class="views__head">{move || words.get().views().for_all}</h3>
                    <ul>
                        <LiveRows each=move || shown.get() key=|record| record.id.clone() draw=row />
                    </ul>
                    <p class="views__note">{move || words.get().views().seen_by_all}</p>
                </div>
            }
        })
    }
}

/// One view for everybody.
#[component]
fn TeamViewRow(
    record: Memo<SharedRecord>,
    views: TeamViews,
    /// The address on screen.
    path: Memo<String>,
    on_open: Callback<()>,
) -> impl IntoView {
    let words = use_i18n();
    let toasts = use_toasts();
    let renaming = RwSignal::new(false);
    let view = Memo::new(move |_| {
        let empty = || TeamView { name: String::new(), path: "/".to_owned(), home: false };
        record.with(|record| view_of(record).cloned().unwrap_or_else(empty))
    });
    let revision = move || record.with_untracked(|record| record.revision);
    // What the person saw when the name was to be changed.
    let base = StoredValue::new(0);
    let change = move |view: TeamView, expected: u32| {
        views.put(record.with_untracked(|record| record.id.clone()), expected, view, move || {
            renaming.try_set(false);
        });
    };
    let begin_rename = move || {
        base.set_value(revision());
        renaming.set(true);
    };
    let text = move |word: fn(&SavedViewsMessages) -> &'static str, writes: bool| {
        Signal::derive(move || {
            if writes && !views.allowed.get() { String::new() } else { word(words.get().views()).to_owned() }
        })
    };
    let home = Signal::derive(move || match (views.allowed.get(), view.with(|view| view.home)) {
        (false, _) => String::new(),
        (true, true) => words.get().views().off_home.to_owned(),
        (true, false) => words.get().views().to_home.to_owned(),
    });
    let turn_home = move || {
        let view = view.get_untracked();
        change(TeamView { home: !view.home, ..view }, revision());
    };
    let acts = vec![
        MenuAction { text: home, run: Callback::new(move |()| turn_home()) },
        MenuAction { text: text(|words| words.rename, true), run: Callback::new(move |()| begin_rename()) },
        MenuAction {
            text: text(|words| words.copy, false),
            run: Callback::new(move |()| {
                view.with_untracked(|view| copy_view_link(&view.path, &view.name, words, toasts))
            }),
        },
        MenuAction {
            text: text(|words| words.remove, true),
            run: Callback::new(move |()| views.remove(record.get_untracked())),
        },
    ];
    let rename = Callback::new(move |name: String| change(TeamView { name, ..view.get_untracked() }, base.get_value()));
    view! {
        <ViewRow
            view=Memo::new(move |_| SavedView::from(view.get()))
            path=path
            renaming=renaming
            acts=acts
            on_rename=rename
            on_open=on_open
        />
    }
}
