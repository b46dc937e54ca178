//! Frame of the fleet page: skip link, a masthead without navigation, and the page. It has no live link and no dialogs;
//! those are on the dashboards of the machines.

use leptos::prelude::*;

use super::keys;
use super::language::LanguageButton;
use super::masthead::{MastheadBar, MastheadHostLink};
use super::scroll_restoration::ScrollRestoration;
use super::shell::SkipLink;
use super::tools::SettingsMenu;
use crate::pages;

/// The frame with the fleet page, at every path.
#[component]
pub(super) fn FleetShell(scroll_restoration: ScrollRestoration) -> impl IntoView {
    scroll_restoration.follow();
    keys::listen_on_list();
    view! {
        <SkipLink />
        <MastheadBar nav=().into_any()>
            <MastheadHostLink />
            <SettingsMenu />
            <LanguageButton />
        </MastheadBar>
        {pages::fleet_page()}
    }
}
