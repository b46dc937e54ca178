//! Files in place of a monitor: they are dropped onto any page, pasted or chosen, and the whole dashboard shows them. A
//! band below the masthead says what is shown and how far it is read.
//!
//! Only the listeners belong to the first load; all else is the chunk `local`.

mod band;
mod chosen;
mod follow;
mod handles;
mod opened;
mod recent;

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use crate::i18n::messages::FilesFailure;
use crate::lazy_chunks::{ChunkLoadError, lazy_chunk};
use crate::pages::{Loading, lazy_page};
use crate::source;
use crate::state::{FilesChoice, OpenedFiles, use_files};
use chosen::Offered;
use handles::Handle;
use opened::FilesOpener;

/// Class of the page's root while files are dragged over it.
const DRAGGED: &str = "is-dragged-over";

lazy_chunk!(
    local,
    load_opener,
    fn take_offered(offered: Offered, opener: FilesOpener, number: u32) -> () {
        spawn_local(opener.open(offered, number));
    }
);

lazy_chunk!(
    local,
    load_recent,
    fn list_recent(files: OpenedFiles) -> () {
        spawn_local(async move { files.recent.set(recent::list().await) });
    }
);

lazy_chunk!(
    local,
    load_band,
    fn band_part() -> AnyView {
        band::FilesBand().into_any()
    }
);

fn load() -> Loading<()> {
    Box::pin(async { load_band().await.map_err(|_| ChunkLoadError) })
}

/// Opens what is dropped, pasted or chosen from now on, and draws the band while files are shown.
#[component]
pub(super) fn FilesView() -> impl IntoView {
    let files = use_files();
    let opener = FilesOpener::new();
    let take = move |offered: Offered| {
        let opener = opener.clone();
        let number = opener.next_number();
        spawn_local(async move {
            if take_offered(offered, opener, number).await.is_err() {
                files.failure.set(Some(FilesFailure::NotLoaded));
            }
        });
    };
    let named = source::named_files();
    if !named.is_empty() {
        take(Offered::of_addresses(named));
    }
    let (on_drop, on_paste, on_folder, on_choice) = (take.clone(), take.clone(), take.clone(), take);
    window_event_listener(ev::dragover, move |event| {
        if has_files(&event) {
            event.prevent_default();
            mark_dragged(true);
        }
    });
    window_event_listener(ev::dragleave, move |event| {
        // Between elements the pointer only moves on.
        if event.related_target().is_none() {
            mark_dragged(false);
        }
    });
    window_event_listener(ev::drop, move |event| {
        mark_dragged(false);
        if has_files(&event) {
            event.prevent_default();
            if let Some(data) = event.data_transfer() {
                // Entries are gone once the event is over.
                on_drop(Offered::of_transfer(&data));
            }
        }
    });
    window_event_listener(ev::paste, move |event| {
        let Some(data) = event.unchecked_into::<web_sys::ClipboardEvent>().clipboard_data() else { return };
        if let Some(offered) = Offered::of_clipboard(&data) {
            on_paste(offered);
        }
    });
    let (file_input, folder_input) = (NodeRef::<leptos::html::Input>::new(), NodeRef::<leptos::html::Input>::new());
    Effect::new(move |_| {
        let Some(choice) = files.choice.get() else { return };
        files.choice.set(None);
        let input = match choice {
            FilesChoice::Recent(name) => return on_folder(Offered::of_recent(name)),
            FilesChoice::Files => file_input,
            FilesChoice::Folder => match Handle::pick_folder() {
                Some(handle) => return on_folder(Offered::of_handle(handle)),
                None => folder_input,
            },
        };
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    });
    Effect::new(move |_| {
        if files.wants_recent.get() {
            // Without the list the page offers files as before.
            spawn_local(async move { list_recent(files).await.unwrap_or_default() });
        }
    });
    let is_shown = Memo::new(move |_| files.name.with(Option::is_some) || files.failure.with(Option::is_some));
    let input = move |node: NodeRef<leptos::html::Input>, is_folder: bool| {
        let on_choice = on_choice.clone();
        let on_change = move |_| {
            let Some(input) = node.get_untracked() else { return };
            on_choice(Offered::of_list(input.files()));
            // The same file can be chosen again.
            input.set_value("");
        };
        view! {
            <input
                type="file"
                multiple
                hidden
                node_ref=node
                prop:webkitdirectory=is_folder
                on:change=on_change
            />
        }
    };
    view! {
        {input(file_input, false)}
        {input(folder_input, true)}
        {move || is_shown.get().then(|| lazy_page(load, || Box::pin(band_part()), |content| content))}
    }
}

fn has_files(event: &web_sys::DragEvent) -> bool {
    event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0))
}

fn mark_dragged(is_dragged: bool) {
    if let Some(root) = document().document_element() {
        root.class_list().toggle_with_force(DRAGGED, is_dragged).map(drop).unwrap_or_default();
    }
}
