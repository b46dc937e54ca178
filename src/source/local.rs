//! Monitor of files that a person opens on this page. It runs in a worker, or beside the page where that can start none,
//! and answers the requests of REST v2, so that pages ask it as they ask a server. Nothing of the files leaves the browser.
//!
//! Only the dispatch of requests belongs to the first load; the worker and its end on the page are the chunk `local`.

mod blob;
mod channel;
mod link;
mod serve;

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::Callback;
use serde_json::Value;
use wasm_bindgen::JsCast;

pub use self::link::{ChosenFile, FilesNews, FilesState};
use super::{MonitorV2, SourceError, SourceFuture, answered};
use crate::lazy_chunks::lazy_chunk;

/// Base of the addresses that the files answer.
pub(super) const BASE: &str = "local:";

/// Answers requests of pages.
trait RequestHandler {
    /// Method, path behind the base, and body; the status and the JSON text.
    fn ask(&self, method: &'static str, path: &str, body: String) -> SourceFuture<(u16, String)>;
    /// Reads what was added to a log.
    fn append(self: Rc<Self>, path: String, file: web_sys::File) -> SourceFuture<AppendOutcome>;
    /// Reads files that were open before from their beginnings.
    fn open_again(self: Rc<Self>, files: Vec<ChosenFile>);
}

/// What became of a log that is longer than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendOutcome {
    /// The added lines are read.
    Read,
    /// Files are still being read; the next look will do.
    Busy,
    /// It was changed in another way, or is not open: all has to be read again.
    Changed,
}

thread_local! {
    static OPENED: RefCell<Option<Rc<dyn RequestHandler>>> = const { RefCell::new(None) };
}

/// Asks the opened files.
pub(super) fn ask(method: &'static str, path: &str, body: String) -> SourceFuture<(u16, String)> {
    let opened = OPENED.with_borrow(Clone::clone);
    match opened {
        Some(opened) => opened.ask(method, path, body),
        None => answered(Err(SourceError::Network)),
    }
}

/// Reads what was added to an opened log.
pub async fn append_file(path: &str, file: web_sys::File) -> AppendOutcome {
    let opened = OPENED.with_borrow(Clone::clone);
    match opened {
        Some(opened) => opened.append(path.to_owned(), file).await.unwrap_or(AppendOutcome::Changed),
        None => AppendOutcome::Changed,
    }
}

impl MonitorV2 {
    /// The files that are open on this page.
    pub fn of_files() -> Self {
        Self::at(BASE)
    }
}

// Opens files in a worker, in place of those that are open; `again` for the same ones, whose categories stay.
lazy_chunk!(
    local,
    load_open,
    pub fn open_files(files: Vec<ChosenFile>, again: bool, on_news: Callback<FilesNews>) -> () {
        let known = if again { OPENED.with_borrow(Clone::clone) } else { None };
        match known {
            Some(opened) => opened.open_again(files),
            None => {
                let opened = link::FilesLink::start(files, on_news);
                OPENED.set(opened.map(|opened| opened as Rc<dyn RequestHandler>));
            }
        }
    }
);

lazy_chunk!(
    local,
    load_serve,
    fn serve_files() -> () {
        serve::forbid_requests();
        serve::serve(js_sys::global().unchecked_into());
    }
);

/// Whether this program runs in a worker; if so, answers the page from now on.
pub fn serve_if_worker() -> bool {
    let is_worker = js_sys::global().is_instance_of::<web_sys::DedicatedWorkerGlobalScope>();
    if is_worker {
        wasm_bindgen_futures::spawn_local(async {
            if serve_files().await.is_err() {
                let scope: web_sys::DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
                scope.post_message(&js_sys::Array::of1(&"failed".into())).unwrap_or_default();
            }
        });
    }
    is_worker
}

/// JSON of a message between the page and the worker.
fn message<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// A value out of JSON of such a message.
fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str::<Value>(text).ok().and_then(|value| coordination::decode::decode(value).ok())
}
