//! Files that a person offers to open: single files, dropped folders with all below them, and pasted text.

use js_sys::{Array, Promise};
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemDirectoryReader, FileSystemEntry,
    FileSystemFileEntry,
};

use super::follow::FilesFollower;
use super::handles::Handle;
use super::recent;
use crate::source::ChosenFile;

/// Files that are taken of a folder, at most.
pub(super) const MAX_FILES: usize = 20_000;
/// Folders below a dropped one that a home does not need.
pub(super) const SKIPPED: [&str; 3] = ["node_modules", ".git", "browser"];
/// Name of text that was pasted.
const PASTED: &str = "clipboard.ndjson";

/// What is offered, as the event has it.
#[derive(Debug, Default)]
pub(super) struct Offered {
    files: Vec<ChosenFile>,
    /// Dropped files and folders that have to be listed.
    entries: Vec<FileSystemEntry>,
    /// Addresses of files that the host names.
    addresses: Vec<String>,
    /// Name of what was opened before.
    recent: Option<String>,
    /// Handles of what was dropped, where the browser has them; they take the place of all else.
    handles: Vec<Promise>,
}

/// Files, and what follows them where the browser allows it.
#[derive(Default)]
pub(super) struct ChosenFiles {
    pub(super) files: Vec<ChosenFile>,
    pub(super) follower: Option<FilesFollower>,
    /// Files and folders that the browser could not open.
    pub(super) unread: Vec<String>,
    /// A file that the host names could not be fetched.
    pub(super) is_incomplete: bool,
}

impl Offered {
    /// Of a chooser. Files of a folder come with their paths.
    pub(super) fn of_list(list: Option<FileList>) -> Self {
        let files = list.map(|list| (0..list.length()).filter_map(move |at| list.item(at)));
        let chosen = |file: File| ChosenFile { path: path_in_folder(&file).unwrap_or_else(|| file.name()), file };
        Self { files: files.into_iter().flatten().map(chosen).collect(), ..Self::default() }
    }

    /// Of a drop.
    pub(super) fn of_transfer(data: &DataTransfer) -> Self {
        let items = data.items();
        let items = (0..items.length()).filter_map(|at| items.get(at));
        let entries: Vec<_> = items.filter_map(|item| item.webkit_get_as_entry().ok().flatten()).collect();
        match entries.is_empty() {
            true => Self::of_list(data.files()),
            false => Self { entries, handles: Handle::of_transfer(data), ..Self::default() },
        }
    }

    /// Of a paste: files, or lines of a log. Nothing when a text field takes it, or it is no log.
    pub(super) fn of_clipboard(data: &DataTransfer) -> Option<Self> {
        // A field takes what is pasted into it, and a picture is no log.
        let field = leptos::prelude::document().active_element();
        if field.is_some_and(|field| field.matches("input, textarea, [contenteditable]").unwrap_or(false)) {
            return None;
        }
        let mut files = Self::of_list(data.files());
        files.files.retain(|chosen| !chosen.file.type_().starts_with("image/"));
        if !files.files.is_empty() {
            return Some(files);
        }
        let text = data.get_data("text").ok().filter(|text| text.trim_start().starts_with('{'))?;
        // The last line of a log is complete at its end only.
        let parts: Array = [text.trim_end(), "\n"].into_iter().map(JsValue::from).collect();
        let file = File::new_with_str_sequence(&parts, PASTED).ok()?;
        Some(Self { files: vec![ChosenFile { path: PASTED.to_owned(), file }], ..Self::default() })
    }

    /// Of the host.
    pub(super) fn of_addresses(addresses: Vec<String>) -> Self {
        Self { addresses, ..Self::default() }
    }

    /// Whether the host names it.
    pub(super) fn is_named(&self) -> bool {
        !self.addresses.is_empty()
    }

    /// Of what was opened before.
    pub(super) fn of_recent(name: String) -> Self {
        Self { recent: Some(name), ..Self::default() }
    }

    /// Of a folder that the person is picking.
    pub(super) fn of_handle(handle: Promise) -> Self {
        Self { handles: vec![handle], ..Self::default() }
    }
}

/// `webkitRelativePath` of a file, where it is one of a chosen folder.
fn path_in_folder(file: &File) -> Option<String> {
    let path = js_sys::Reflect::get(file, &"webkitRelativePath".into()).ok()?.as_string()?;
    Some(path).filter(|path| !path.is_empty())
}

/// All files of it.
pub(super) async fn read(offered: Offered) -> ChosenFiles {
    let Offered { mut files, entries, mut handles, addresses, recent } = offered;
    if let Some(name) = recent {
        handles.extend(recent::handles(&name).await.unwrap_or_default());
    }
    let mut is_incomplete = false;
    for address in addresses {
        let file = fetched(&address).await;
        is_incomplete |= file.is_none();
        files.extend(file);
    }
    let mut roots = Vec::new();
    for handle in handles {
        roots.extend(Handle::of_promise(handle).await);
    }
    if !roots.is_empty() {
        let (follower, files, unread) = FilesFollower::list(roots).await;
        return ChosenFiles { files, follower: Some(follower), unread, ..ChosenFiles::default() };
    }
    let path = |entry: &FileSystemEntry| entry.full_path().trim_start_matches('/').to_owned();
    let mut unread = Vec::new();
    let mut waiting: Vec<FileSystemEntry> = entries.into_iter().rev().collect();
    while let Some(entry) = waiting.pop() {
        if files.len() >= MAX_FILES {
            unread.push(path(&entry));
            continue;
        }
        if entry.is_directory() {
            if SKIPPED.contains(&entry.name().as_str()) {
                continue;
            }
            match below(entry.clone().unchecked_into()).await {
                Ok(below) => waiting.extend(below),
                Err(_) => unread.push(path(&entry)),
            }
        } else {
            match opened(entry.clone().unchecked_into()).await {
                Ok(file) => files.push(ChosenFile { path: path(&entry), file }),
                Err(_) => unread.push(path(&entry)),
            }
        }
    }
    ChosenFiles { files, unread, is_incomplete, follower: None }
}

/// A file of the host; none when it cannot be fetched.
async fn fetched(address: &str) -> Option<ChosenFile> {
    let name = address.rsplit('/').next().unwrap_or(address);
    let name = js_sys::decode_uri_component(name).map_or_else(|_| name.to_owned(), String::from);
    let answer = gloo_net::http::Request::get(address).send().await.ok().filter(gloo_net::http::Response::ok);
    let bytes = answer?.binary().await.ok()?;
    let parts = Array::of1(&js_sys::Uint8Array::from(bytes.as_slice()));
    let file = File::new_with_u8_array_sequence(&parts, &name).ok()?;
    Some(ChosenFile { path: name, file })
}

/// The entries of a folder.
async fn below(folder: FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, JsValue> {
    let reader: FileSystemDirectoryReader = folder.create_reader();
    let mut entries = Vec::new();
    loop {
        // Browsers list a hundred at once, and nothing at the end.
        let some = with_callbacks(|resolve, reject| {
            let read: js_sys::Function = js_sys::Reflect::get(&reader, &"readEntries".into())?.dyn_into()?;
            read.call2(&reader, resolve, reject).map(drop)
        });
        let some: Array = some.await?.dyn_into()?;
        if some.length() == 0 {
            return Ok(entries);
        }
        entries.extend(some.iter().map(JsCast::unchecked_into));
    }
}

async fn opened(entry: FileSystemFileEntry) -> Result<File, JsValue> {
    let file = with_callbacks(|resolve, reject| {
        let open: js_sys::Function = js_sys::Reflect::get(&entry, &"file".into())?.dyn_into()?;
        open.call2(&entry, resolve, reject).map(drop)
    });
    file.await?.dyn_into()
}

/// The result of a function that takes two callbacks.
async fn with_callbacks(
    begin: impl Fn(&js_sys::Function, &js_sys::Function) -> Result<(), JsValue>,
) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |resolve, reject| {
        if begin(&resolve, &reject).is_err() {
            reject.call0(&window()).map(drop).unwrap_or_default();
        }
    });
    JsFuture::from(promise).await
}
