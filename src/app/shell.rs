//! Frame around every page: skip link, masthead, notices, phone tab bar, toasts and dialogs. Also holds `MenuItem`, the
//! entries of the navigation with address, name and icon.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::alerts;
use super::data_panel::DataPanel;
use super::files::FilesView;
use super::keys;
use super::masthead::Masthead;
use super::notices::Notices;
use super::past::PastView;
use super::scroll_restoration::ScrollRestoration;
use super::tools::{Dialogs, ToolDialogs};
use crate::i18n::messages::Messages;
use crate::i18n::use_i18n;
use crate::routes::{self, AgentsFilter, EventsFilter, StoresFilter, TasksFilter, paths};
use crate::ui::Icon;
use crate::ui::toast::ToastStack;

/// The places of the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MenuItem {
    Home,
    Sessions,
    Events,
    Tasks,
    Agents,
    Stores,
}

impl MenuItem {
    pub(super) const ALL: [Self; 6] =
        [Self::Home, Self::Sessions, Self::Events, Self::Tasks, Self::Agents, Self::Stores];

    /// Those of this page: an evidence page has few.
    pub(super) fn shown() -> impl Iterator<Item = Self> {
        let is_left_out = |item: Self| matches!(item, Self::Tasks | Self::Agents | Self::Stores);
        Self::ALL.into_iter().filter(move |item| !(is_left_out(*item) && routes::is_evidence_page()))
    }

    /// Where a path below the base belongs.
    pub(super) fn from_path(path: &str) -> Option<Self> {
        let path = path.strip_prefix(routes::base()).unwrap_or(path);
        match path.trim_start_matches('/').split('/').next().unwrap_or_default() {
            "" => Some(Self::Home),
            "c" | "all" | "s" | "audit" | "drift" | "rules" => Some(Self::Sessions),
            "events" => Some(Self::Events),
            "tasks" => Some(Self::Tasks),
            "agents" => Some(Self::Agents),
            "sessions" => Some(Self::Stores),
            _ => None,
        }
    }

    pub(super) fn href(self) -> String {
        match self {
            Self::Home => paths::home(),
            Self::Sessions => paths::all(),
            Self::Events => paths::events(&EventsFilter::default()),
            Self::Tasks => paths::tasks(&TasksFilter::default()),
            Self::Agents => paths::agents(&AgentsFilter::default()),
            Self::Stores => paths::stores(&StoresFilter::default()),
        }
    }

    /// Its name; reactive.
    pub(super) fn word(self) -> &'static str {
        self.name(use_i18n().get())
    }

    /// Its name in these words.
    pub(super) fn name(self, words: &Messages) -> &'static str {
        let shell = &words.shell;
        match self {
            Self::Home => shell.home,
            Self::Sessions => shell.sessions,
            Self::Events => shell.events,
            Self::Tasks => shell.tasks,
            Self::Agents => shell.agents,
            Self::Stores => shell.stores,
        }
    }

    pub(super) fn icon(self) -> Icon {
        match self {
            Self::Home => Icon::Home,
            Self::Sessions => Icon::Talk,
            Self::Events => Icon::Event,
            Self::Tasks => Icon::Task,
            Self::Agents => Icon::Person,
            Self::Stores => Icon::Archive,
        }
    }
}

/// The place of the page on screen.
pub(super) fn use_place() -> Memo<Option<MenuItem>> {
    let path = use_location().pathname;
    Memo::new(move |_| path.with(|path| MenuItem::from_path(path)))
}

/// The frame around `children`.
#[component]
pub(super) fn Shell(scroll_restoration: ScrollRestoration, children: Children) -> impl IntoView {
    let words = use_i18n();
    scroll_restoration.follow();
    let place = use_place();
    let tools = ToolDialogs::new();
    keys::listen(tools);
    alerts::follow_later();
    let close = Signal::derive(move || words.get().common.close.to_owned());
    view! {
        <SkipLink />
        <Masthead tools=tools />
        <FilesView />
        <PastView />
        <Notices />
        {children()}
        <nav class="tabbar" aria-label=move || words.get().shell.nav_phone>
            {MenuItem::shown()
                .map(|this| {
                    view! {
                        <a
                            href=this.href()
                            aria-current=move || (place.get() == Some(this)).then_some("page")
                        >
                            {this.icon()}
                            {move || if this == MenuItem::Stores { words.get().shell.stores_short } else { this.word() }}
                        </a>
                    }
                })
                .collect_view()}
        </nav>
        <ToastStack close_label=close />
        <Dialogs tools=tools />
        <DataPanel />
    }
}

/// Link that moves the focus to the page's main part.
#[component]
pub(super) fn SkipLink() -> impl IntoView {
    let words = use_i18n();
    // With a <base>, a bare fragment would lead to the base page: the skip link moves the focus itself.
    let skip = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        let main = document().get_element_by_id("main");
        if let Some(main) = main.and_then(|main| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(main).ok()) {
            main.focus().unwrap_or_default();
        }
    };
    view! {
        <a class="skip" href="#main" on:click=skip>
            {move || words.get().shell.skip}
        </a>
    }
}

#[cfg(test)]
mod tests {
    use super::MenuItem;

    #[test]
    fn page_paths_map_to_menu_items() {
        assert_eq!(MenuItem::from_path("/"), Some(MenuItem::Home));
        assert_eq!(MenuItem::from_path("/all"), Some(MenuItem::Sessions));
        assert_eq!(MenuItem::from_path("/c/infra_ops"), Some(MenuItem::Sessions));
        assert_eq!(MenuItem::from_path("/s/ws_1/t/conv:1"), Some(MenuItem::Sessions));
        assert_eq!(MenuItem::from_path("/events"), Some(MenuItem::Events));
        assert_eq!(MenuItem::from_path("/tasks/eden/task_1"), Some(MenuItem::Tasks));
        assert_eq!(MenuItem::from_path("/agents"), Some(MenuItem::Agents));
        assert_eq!(MenuItem::from_path("/sessions/agent:eden:main"), Some(MenuItem::Stores));
        assert_eq!(MenuItem::from_path("/nowhere"), None);
    }
}
