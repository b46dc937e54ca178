//! Dialogs of the command palette, keyboard help and settings. The dialog frames are drawn at once. Their content is
//! loaded as lazy chunks, ahead of time or when first opened.

mod palette;
mod settings;
mod sheet;

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::lazy_chunks::{ChunkLoadError, lazy_chunk};
use crate::pages::{Loading, lazy_page};
use crate::ui::Icon;
use crate::ui::dialog::Dialog;
use crate::ui::modal::{Modal, use_modal};
use crate::ui::selectors::OTHER_DIALOG;

lazy_chunk!(
    tools,
    load_palette,
    fn palette_part(open: RwSignal<bool>) -> AnyView {
        view! { <palette::Palette open=open /> }.into_any()
    }
);
lazy_chunk!(
    tools,
    load_sheet,
    fn sheet_part() -> AnyView {
        sheet::HelpSheet().into_any()
    }
);
lazy_chunk!(
    tools,
    load_settings,
    fn settings_part() -> AnyView {
        settings::SettingsPanel().into_any()
    }
);

/// Which of them is open.
#[derive(Clone, Copy)]
pub(super) struct ToolDialogs {
    /// The command palette.
    pub(super) palette: RwSignal<bool>,
    /// The sheet of keys.
    pub(super) sheet: RwSignal<bool>,
}

impl ToolDialogs {
    pub(super) fn new() -> Self {
        Self { palette: RwSignal::new(false), sheet: RwSignal::new(false) }
    }

    /// Opens the palette, or closes it; another dialog keeps the screen.
    pub(super) fn toggle_palette(self) -> bool {
        let other = document().query_selector(OTHER_DIALOG).ok().flatten();
        if other.is_none() {
            self.palette.update(|open| *open = !*open);
        }
        true
    }
}

/// Fetches what they show.
pub(super) fn load() -> Loading<()> {
    Box::pin(async { load_palette().await.map_err(|_| ChunkLoadError) })
}

fn sheet() -> Loading<()> {
    Box::pin(async { load_sheet().await.map_err(|_| ChunkLoadError) })
}

fn settings() -> Loading<()> {
    Box::pin(async { load_settings().await.map_err(|_| ChunkLoadError) })
}

/// What is written on the key that is held with others: ⌘ on Apple's keyboards.
pub(super) fn command_cap() -> &'static str {
    let platform = window().navigator().platform().unwrap_or_default();
    if platform.starts_with("Mac") || platform.starts_with("iP") { "⌘" } else { "Ctrl" }
}

/// Dialogs of the keyboard help and the command palette.
#[component]
pub(super) fn Dialogs(tools: ToolDialogs) -> impl IntoView {
    let words = use_i18n();
    let close_sheet = Callback::new(move |()| tools.sheet.set(false));
    view! {
        <Dialog
            open=tools.sheet
            on_close=close_sheet
            title=Signal::derive(move || words.get().shell.shortcuts.to_owned())
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            {lazy_page(sheet, || Box::pin(sheet_part()), |content| content)}
        </Dialog>
        <PaletteDialog open=tools.palette />
    }
}

/// Dialog frame of the palette, without a heading: its field carries the label.
#[component]
fn PaletteDialog(open: RwSignal<bool>) -> impl IntoView {
    let words = use_i18n();
    let Modal { node, on_click } = use_modal(open.into(), Callback::new(move |()| open.set(false)));
    let draw = move || lazy_page(load, move || Box::pin(palette_part(open)), |content| content);
    view! {
        <dialog
            class="dialog palette"
            node_ref=node
            aria-label=move || words.get().shell.palette
            on:close=move |_| open.set(false)
            on:click=on_click
        >
            {move || open.get().then(draw)}
        </dialog>
    }
}

/// Button that opens the settings, and the popover below it.
#[component]
pub(super) fn SettingsMenu() -> impl IntoView {
    let words = use_i18n();
    // Drawn when first opened; the browser shows it, closes it and gives the focus back.
    let opened = RwSignal::new(false);
    view! {
        <button
            type="button"
            class="icon-button"
            popovertarget="settings"
            on:click=move |_| opened.set(true)
            aria-label=move || words.get().shell.settings
            title=move || words.get().shell.settings
        >
            {Icon::Settings}
        </button>
        <div
            id="settings"
            class="settings"
            popover="auto"
            role="dialog"
            aria-label=move || words.get().shell.settings
        >
            {move || opened.get().then(|| lazy_page(settings, || Box::pin(settings_part()), |content| content))}
        </div>
    }
}
