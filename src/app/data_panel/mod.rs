//! Dialog with the state of the data, opened from the connection indicator and from the events page. It shows which
//! files were read, read errors with their positions, and how the page is updated.
//!
//! The dialog frame is drawn at once. Its content is a lazy chunk, fetched ahead or when the dialog is first opened.

mod alerts;
mod content;
mod facts;
mod machine;

use futures::FutureExt as _;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::i18n::use_i18n;
use crate::lazy_chunks::{ChunkLoadError, lazy_chunk};
use crate::pages::{Loading, lazy_page};
use crate::routes;
use crate::state::use_connection;
use crate::ui::dialog::Dialog;

lazy_chunk!(
    panel,
    load_content,
    fn content_part() -> AnyView {
        content::Content().into_any()
    }
);

lazy_chunk!(
    panel,
    load_machine,
    fn machine_part() -> AnyView {
        machine::MachineBand().into_any()
    }
);

/// Band about the machine of this page, once its chunk is loaded; nothing on a page that shows no mirror.
#[component]
pub(super) fn MachineNotice() -> impl IntoView {
    let is_loaded = RwSignal::new(false);
    if routes::machine().is_some() {
        spawn_local(async move {
            let loaded = load_machine().await.is_ok();
            is_loaded.try_set(loaded);
        });
    }
    move || is_loaded.get().then(|| machine_part().now_or_never().and_then(Result::ok))
}

/// Fetches the content chunk.
pub(super) fn load() -> Loading<()> {
    Box::pin(async { load_content().await.map_err(|_| ChunkLoadError) })
}

/// The panel; opens when the connection's `panel` is set.
#[component]
pub(super) fn DataPanel() -> impl IntoView {
    let words = use_i18n();
    let panel = use_connection().panel;
    view! {
        <Dialog
            open=panel
            on_close=Callback::new(move |()| panel.set(false))
            title=Signal::derive(move || words.get().shell.data_state.to_owned())
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            {lazy_page(load, || Box::pin(content_part()), |content| content)}
        </Dialog>
    }
}
