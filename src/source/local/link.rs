//! The page's end of the channel to the reader of files.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use coordination::api::Delta;
use futures::channel::oneshot;
use js_sys::{Array, Object, Reflect, Uint8Array};
use leptos::prelude::*;
use local_monitor::{FileReport, ReadingProgress};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, MessageChannel, MessageEvent, MessagePort, Worker, WorkerOptions, WorkerType};

use super::channel::ReaderChannel;
use super::{AppendOutcome, RequestHandler, message, parsed, serve};
use crate::source::{SourceError, SourceFuture, answered};

/// Kinds of messages to the reader.
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
    /// Bytes of memory that the reader holds.
    pub memory: f64,
    /// Number of events.
    pub events: u64,
    /// The files that are read; absent when the list is as it was.
    pub reports: Option<Vec<FileReport>>,
}

/// What the reader tells.
#[derive(Debug, Clone)]
pub enum FilesNews {
    /// How far the files are read.
    State(FilesState),
    /// What changed.
    Delta(Box<Delta>),
    /// The reader cannot go on.
    Failed,
}

/// Where the files are read.
enum Reader {
    /// Off the main thread.
    Worker(Worker),
    /// Beside the page.
    Page(MessagePort),
}

/// A running reader. It ends when this is dropped.
pub(super) struct FilesLink {
    reader: Reader,
    /// Requests without an answer, by number.
    pending: RefCell<HashMap<u32, oneshot::Sender<(u16, String)>>>,
    next: Cell<u32>,
    /// Messages that wait until the reader listens; none once it does.
    waiting: RefCell<Option<Vec<Array>>>,
    /// The reader has ended: nothing is answered any more.
    has_failed: Cell<bool>,
}

impl Drop for FilesLink {
    fn drop(&mut self) {
        match &self.reader {
            Reader::Worker(worker) => worker.terminate(),
            Reader::Page(port) => port.close(),
        }
    }
}

impl FilesLink {
    /// Starts a reader of files. `None`, and news of a failure, when the browser has no such workers.
    pub(super) fn start(files: Vec<ChosenFile>, on_news: Callback<FilesNews>) -> Option<Rc<Self>> {
        let started = Self::try_start(on_news);
        match &started {
            Ok(link) => Rc::clone(link).open_again(files),
            Err(_) => on_news.run(FilesNews::Failed),
        }
        started.ok()
    }

    fn try_start(on_news: Callback<FilesNews>) -> Result<Rc<Self>, JsValue> {
        forbid_other_hosts()?;
        let reader = start_reader()?;
        let link = Rc::new(Self {
            reader,
            pending: RefCell::default(),
            next: Cell::default(),
            waiting: RefCell::new(Some(Vec::new())),
            has_failed: Cell::new(false),
        });
        let weak = Rc::downgrade(&link);
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let (Some(link), Ok(parts)) = (weak.upgrade(), event.data().dyn_into::<Array>()) {
                link.take(&parts, on_news);
            }
        });
        link.channel().set_onmessage(on_message.as_ref().unchecked_ref());
        on_message.forget();
        if let Reader::Worker(worker) = &link.reader {
            let weak = Rc::downgrade(&link);
            let on_error = Closure::<dyn Fn(JsValue)>::new(move |_| {
                if let Some(link) = weak.upgrade() {
                    link.fail(on_news);
                }
            });
            worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
            on_error.forget();
        }
        Ok(link)
    }

    fn channel(&self) -> &ReaderChannel {
        match &self.reader {
            Reader::Worker(worker) => worker.unchecked_ref(),
            Reader::Page(port) => port.unchecked_ref(),
        }
    }

    /// A file as the reader takes it: only a worker reads it piece by piece, else its bytes go along.
    async fn readable(&self, file: File) -> JsValue {
        let bytes = match self.reader {
            Reader::Worker(_) => None,
            Reader::Page(_) => JsFuture::from(file.array_buffer()).await.ok(),
        };
        bytes.map_or_else(|| file.into(), |bytes| Uint8Array::new(&bytes).into())
    }

    fn take(&self, parts: &Array, on_news: Callback<FilesNews>) {
        let text = |at: u32| parts.get(at).as_string();
        match text(0).as_deref() {
            Some("failed") => self.fail(on_news),
            Some("ready") => {
                for message in self.waiting.take().unwrap_or_default() {
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

    /// The reader has ended: pending requests fail, and so do later ones.
    fn fail(&self, on_news: Callback<FilesNews>) {
        self.has_failed.set(true);
        self.pending.borrow_mut().clear();
        on_news.run(FilesNews::Failed);
    }

    /// Posts a message, or keeps it until the reader listens.
    fn post(&self, message: &Array) {
        if let Some(waiting) = &mut *self.waiting.borrow_mut() {
            return waiting.push(message.clone());
        }
        if message.get(0).as_string().as_deref() == Some(OPEN) {
            // By this time the reader sets its clock.
            message.set(1, js_sys::Date::now().into());
        }
        self.channel().post_message(message).unwrap_or_default();
    }
}

/// Starts a worker; in a page from a disk, which can start none, a reader beside the page.
/// Lets the page ask no other host from now on, whatever the policy of the site is: nothing of the files leaves it. It
/// ends with the page, as closing the files does.
fn forbid_other_hosts() -> Result<(), JsValue> {
    let policy = document().create_element("meta")?;
    policy.set_attribute("http-equiv", "Content-Security-Policy")?;
    policy.set_attribute("content", "connect-src 'self'")?;
    document().head().ok_or(JsValue::NULL)?.append_child(&policy)?;
    Ok(())
}

fn start_reader() -> Result<Reader, JsValue> {
    if window().location().protocol()? == "file:" {
        let channel = MessageChannel::new()?;
        serve::serve(channel.port2().unchecked_into());
        return Ok(Reader::Page(channel.port1()));
    }
    let base = document().base_uri()?.unwrap_or_default();
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&format!("{base}{SCRIPT}"), &options)?;
    let first = Object::new();
    Reflect::set(&first, &"script".into(), &PROGRAM_URL.with(|url| url.as_str().into()))?;
    Reflect::set(&first, &"module".into(), &wasm_bindgen::module())?;
    worker.post_message(&first)?;
    Ok(Reader::Worker(worker))
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

    fn open_again(self: Rc<Self>, files: Vec<ChosenFile>) {
        spawn_local(async move {
            // The page's time, then paths and files in turn.
            let message = Array::of2(&OPEN.into(), &0.into());
            for ChosenFile { path, file } in files {
                message.push(&path.into());
                message.push(&self.readable(file).await);
            }
            self.post(&message);
        });
    }

    fn append(self: Rc<Self>, path: String, file: File) -> SourceFuture<AppendOutcome> {
        Box::pin(async move {
            let file = self.readable(file).await;
            Ok(match self.call(APPEND, &[path.into(), file]).await?.0 {
                200 => AppendOutcome::Read,
                503 => AppendOutcome::Busy,
                _ => AppendOutcome::Changed,
            })
        })
    }
}
