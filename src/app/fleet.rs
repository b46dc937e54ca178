//! Frame of the fleet page: skip link, masthead with the tabs of the page, and the tab of the address. It has no live link of
//! a monitor and no dialogs; those are on the dashboards of the machines.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::keys;
use super::language::LanguageButton;
use super::masthead::{MastheadBar, MastheadHostLink};
use super::scroll_restoration::ScrollRestoration;
use super::shell::SkipLink;
use super::tools::SettingsMenu;
use crate::i18n::messages::Messages;
use crate::i18n::use_i18n;
use crate::pages;
use crate::queries::{provide_fleet, use_pairs};
use crate::routes::{FleetFilter, FleetTab};
use crate::ui::Icon;

/// The frame with the tab of the address.
#[component]
pub(super) fn FleetShell(scroll_restoration: ScrollRestoration) -> impl IntoView {
    let words = use_i18n();
    scroll_restoration.follow();
    provide_fleet();
    let path = use_location().pathname;
    let tab = Memo::new(move |_| path.with(|path| FleetTab::from_path(path)));
    let pairs = use_pairs();
    let filter = Memo::new(move |_| pairs.with(|pairs| FleetFilter::from_pairs(pairs)));
    keys::listen_on_fleet(move |tab| tab.href(&filter.get_untracked()));
    let link = move |this: FleetTab, has_icon: bool| {
        let current = move || (tab.get() == this).then_some("page");
        view! {
            <a href=move || filter.with(|filter| this.href(filter)) aria-current=current>
                {has_icon.then(|| icon(this).into_render())}
                {move || name(this, words.get())}
            </a>
        }
    };
    let nav = view! {
        <nav class="masthead__nav" aria-label=move || words.get().shell.nav>
            {FleetTab::ALL.map(|tab| link(tab, false)).collect_view()}
        </nav>
    };
    let is_work = Memo::new(move |_| !matches!(tab.get(), FleetTab::Home | FleetTab::Sessions));
    view! {
        <SkipLink />
        <MastheadBar nav=nav.into_any()>
            <MastheadHostLink />
            <SettingsMenu />
            <LanguageButton />
        </MastheadBar>
        {move || if is_work.get() { pages::fleet_work_page() } else { pages::fleet_page() }}
        <nav class="tabbar" aria-label=move || words.get().shell.nav_phone>
            {FleetTab::ALL.map(|tab| link(tab, true)).collect_view()}
        </nav>
    }
}

fn name(tab: FleetTab, words: &Messages) -> &'static str {
    let shell = &words.shell;
    match tab {
        FleetTab::Home => shell.home,
        FleetTab::Sessions => shell.sessions,
        FleetTab::Events => shell.events,
        FleetTab::Tasks => shell.tasks,
        FleetTab::Agents => shell.agents,
        FleetTab::Drift => words.fleet().drift,
    }
}

fn icon(tab: FleetTab) -> Icon {
    match tab {
        FleetTab::Home => Icon::Home,
        FleetTab::Sessions => Icon::Talk,
        FleetTab::Events => Icon::Event,
        FleetTab::Tasks => Icon::Task,
        FleetTab::Agents => Icon::Person,
        FleetTab::Drift => Icon::Chart,
    }
}
