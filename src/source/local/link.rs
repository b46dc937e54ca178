//! The page's end of the worker that reads files.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use coordination::api::Delta;
use futures::channel::oneshot;
use js_sys::{Array, Object, Reflect};
use leptos::prelude::*;
use local_monitor::{FileReport, ReadingProgress};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use web_sys::{File, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::{AppendOutcome, RequestHandler, message, parsed};
use crate::source::{SourceError, SourceFuture, answered};

/// Kinds of messages to the worker.
pub(super) const OPEN: &str = "open";
pub(super) const REQUEST: &str = "request";
pub(super) const APPEND: &str = "append";

/// Script of the worker, beside the page.
const SCRIPT: &str = "files-worker.js";

#[wasm_bindgen]
extern "C" {
    /// Address of this program's script.
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static PROGRAM_URL: String;
}

/// A file that a person chose.
#[derive(Debug, Clone)]
pub struct ChosenFile {
    /// Its path within the chosen folder, else its name.
    pub path: String,
    /// The file.
    pub file: File,
}

/// How far the files are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilesState {
    /// In bytes.
    pub progress: ReadingProgress,
    /// Bytes of memory that the worker holds.
    pub memory: f64,
    /// Number of events.
    pub events: u64,
    /// The files that are read; absent when the list is as it was.
    pub reports: Option<Vec<FileReport>>,
}

/// What the worker tells.
#[derive(Debug, Clone)]
pub enum FilesNews {
    /// How far the files are read.
    State(FilesState),
    /// What changed.
    Delta(Box<Delta>),
    /// The worker cannot go on.
    Failed,
}

/// A running worker. It ends when this is dropped.
pub(super) struct FilesLink {
    worker: Worker,
    /// Requests without an answer, by number.
    pending: RefCell<HashMap<u32, oneshot::Sender<(u16, String)>>>,
    next: Cell<u32>,
    /// Messages that wait until the worker listens; none once it does.
    waiting: RefCell<Option<Vec<Array>>>,
    /// The worker has ended: nothing is answered any more.
    has_failed: Cell<bool>,
}

impl Drop for FilesLink {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

impl FilesLink {
    /// Starts a worker over files. `None`, and news of a failure, when the browser has no such workers.
    pub(super) fn start(files: Vec<ChosenFile>, on_news: Callback<FilesNews>) -> Option<Rc<Self>> {
        let started = Self::try_start(files, on_news);
        if started.is_err() {
            on_news.run(FilesNews::Failed);
        }
        started.ok()
    }

    fn try_start(files: Vec<ChosenFile>, on_news: Callback<FilesNews>) -> Result<Rc<Self>, JsValue> {
        let base = document().base_uri()?.unwrap_or_default();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&format!("{base}{SCRIPT}"), &options)?;
        let open = open_message(files);
        let link = Rc::new(Self {
            worker: worker.clone(),
            pending: RefCell::default(),
            next: Cell::default(),
            waiting: RefCell::new(Some(vec![open])),
            has_failed: Cell::new(false),
        });
        let weak = Rc::downgrade(&link);
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let (Some(link), Ok(parts)) = (weak.upgrade(), event.data().dyn_into::<Array>()) {
                link.take(&parts, on_news);
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        on_message.forget();
        let weak = Rc::downgrade(&link);
        let on_error = Closure::<dyn Fn(JsValue)>::new(move |_| {
            if let Some(link) = weak.upgrade() {
                link.fail(on_news);
            }
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        on_error.forget();
        let first = Object::new();
        Reflect::set(&first, &"script".into(), &PROGRAM_URL.with(|url| url.as_str().into()))?;
        Reflect::set(&first, &"module".into(), &wasm_bindgen::module())?;
        worker.post_message(&first)?;
        Ok(link)
    }

    fn take(&self, parts: &Array, on_news: Callback<FilesNews>) {
        let text = |at: u32| parts.get(at).as_string();
        match text(0).as_deref() {
            Some("failed") => self.fail(on_news),
            Some("ready") => {
                for message in self.waiting.take().unwrap_or_default() {
                    if text_is(&message, OPEN) {
                        // By this time the worker sets its clock.
                        message.set(1, js_sys::Date::now().into());
                    }
                    self.post(&message);
                }
            }
            Some("state") => {
                if let Some(state) = text(1).and_then(|text| parsed(&text)) {
                    on_news.run(FilesNews::State(state));
                }
            }
            Some("delta") => {
                if let Some(delta) = text(1).and_then(|text| parsed(&text)) {
                    on_news.run(FilesNews::Delta(Box::new(delta)));
                }
            }
            Some("answer") => {
                let (number, status) = (parts.get(1).as_f64(), parts.get(2).as_f64());
                let sender = number.and_then(|number| self.pending.borrow_mut().remove(&(number as u32)));
                if let (Some(sender), Some(status), Some(body)) = (sender, status, text(3)) {
                    // Nobody may wait for it any more.
                    sender.send((status as u16, body)).unwrap_or_default();
                }
            }
            _ => {}
        }
    }

    /// The worker has ended: pending requests fail, and so do later ones.
    fn fail(&self, on_news: Callback<FilesNews>) {
        self.has_failed.set(true);
        self.pending.borrow_mut().clear();
        on_news.run(FilesNews::Failed);
    }

    /// Posts a message, or keeps it until the worker listens.
    fn post(&self, message: &Array) {
        match &mut *self.waiting.borrow_mut() {
            Some(waiting) => waiting.push(message.clone()),
            None => self.worker.post_message(message).unwrap_or_default(),
        }
    }
}

/// Message that opens files: the time of the page, then paths and files in turn.
fn open_message(files: Vec<ChosenFile>) -> Array {
    let head = [JsValue::from(OPEN), js_sys::Date::now().into()];
    head.into_iter().chain(files.into_iter().flat_map(|file| [JsValue::from(file.path), file.file.into()])).collect()
}

/// Whether a message is of a kind.
fn text_is(message: &Array, kind: &str) -> bool {
    message.get(0).as_string().as_deref() == Some(kind)
}

#[derive(Serialize)]
struct FilesRequest<'a> {
    method: &'static str,
    url: &'a str,
    body: String,
}

impl FilesLink {
    /// Sends a message, and waits for the status and text of its answer.
    fn call(&self, kind: &str, parts: &[JsValue]) -> SourceFuture<(u16, String)> {
        if self.has_failed.get() {
            return answered(Err(SourceError::Network));
        }
        let number = self.next.replace(self.next.get().wrapping_add(1));
        let (sender, receiver) = oneshot::channel();
        self.pending.borrow_mut().insert(number, sender);
        let head = [JsValue::from(kind), number.into()];
        self.post(&head.iter().chain(parts).collect());
        Box::pin(async move { receiver.await.map_err(|_| SourceError::Network) })
    }
}

impl RequestHandler for FilesLink {
    fn ask(&self, method: &'static str, path: &str, body: String) -> SourceFuture<(u16, String)> {
        self.call(REQUEST, &[message(&FilesRequest { method, url: path, body }).into()])
    }

    fn open_again(&self, files: Vec<ChosenFile>) {
        self.post(&open_message(files));
    }

    fn append(&self, path: &str, file: File) -> SourceFuture<AppendOutcome> {
        let answer = self.call(APPEND, &[path.into(), file.into()]);
        Box::pin(async move {
            Ok(match answer.await?.0 {
                200 => AppendOutcome::Read,
                503 => AppendOutcome::Busy,
                _ => AppendOutcome::Changed,
            })
        })
    }
}
