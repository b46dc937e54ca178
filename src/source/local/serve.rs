//! The reader: reads the files step by step, answers the page in between, and tells it what changed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, Uint8Array};
use local_monitor::{Input, LocalAnswer, LocalMonitor, LocalRequest};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{File, MessageEvent};

use super::blob::BlobReader;
use super::channel::ReaderChannel;
use super::link::{APPEND, FilesState, OPEN, REQUEST};
use super::{message, parsed};

/// The page's requests have their turn after this many milliseconds of reading.
const TURN_MS: f64 = 30.0;
/// New content is reported this often while files are read: each time the page asks for all that it shows.
const NEWS_MS: f64 = 400.0;
/// Bytes before a place by which it is recognised.
const MARK_BYTES: u64 = 256;
/// Events that the search index takes in at once.
const INDEX_STEP: u32 = 512;

struct Server {
    page: ReaderChannel,
    monitor: LocalMonitor,
    /// The opened files, by path: an evidence file is made of their bytes.
    files: Vec<(String, JsValue)>,
    /// How far each file is read, by its path.
    places: BTreeMap<String, ReadPlace>,
    /// A loop reads the files.
    is_reading: bool,
    sent_at: f64,
    /// Number of reports, whether all is read, and number of events when the reports were sent last.
    reported: Option<(usize, bool, usize)>,
    /// How far the page's clock is ahead of this one, in milliseconds.
    ahead_ms: f64,
}

/// End of the part of a file that was read, and the bytes before it, by which a file that was rewritten is noticed.
struct ReadPlace {
    end: u64,
    before: Vec<u8>,
}

/// Bytes of a file of the browser.
trait FileBytes: Read + Seek {}
impl<T: Read + Seek> FileBytes for T {}

/// Of a file, which only a worker reads piece by piece, or of bytes in memory.
fn bytes_of(value: &JsValue) -> Option<Box<dyn FileBytes>> {
    if let Some(bytes) = value.dyn_ref::<Uint8Array>() {
        return Some(Box::new(Cursor::new(bytes.to_vec())));
    }
    Some(Box::new(BlobReader::new(value.dyn_ref::<File>()?.clone().into()).ok()?))
}

impl ReadPlace {
    /// The end of a file.
    fn of_end(file: &mut dyn FileBytes) -> io::Result<Self> {
        let end = file.seek(SeekFrom::End(0))?;
        let mut before = Vec::new();
        file.seek(SeekFrom::Start(end.saturating_sub(MARK_BYTES)))?;
        file.read_to_end(&mut before)?;
        file.rewind()?;
        Ok(Self { end, before })
    }

    /// The bytes that were added behind it; none when the bytes before it differ.
    fn added(&self, file: &mut dyn FileBytes) -> io::Result<Option<Vec<u8>>> {
        let mut before = vec![0; self.before.len()];
        file.seek(SeekFrom::Start(self.end - self.before.len() as u64))?;
        if file.read_exact(&mut before).is_err() || before != self.before {
            return Ok(None);
        }
        let mut added = Vec::new();
        file.read_to_end(&mut added)?;
        Ok(Some(added))
    }
}

/// Takes from the worker every way to ask a server: its program is loaded, and it sends nothing of the files.
pub(super) fn forbid_requests() {
    for name in ["fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "importScripts"] {
        // A browser that refuses this has a worker as before.
        js_sys::Reflect::set(&js_sys::global(), &name.into(), &JsValue::UNDEFINED).unwrap_or_default();
    }
}

/// Answers the page from now on.
pub(super) fn serve(page: ReaderChannel) {
    let epoch = format!("files-{}", js_sys::Date::now());
    let monitor = LocalMonitor::new(epoch);
    let server = Server {
        page: page.clone(),
        monitor,
        files: Vec::new(),
        places: BTreeMap::new(),
        is_reading: false,
        sent_at: 0.0,
        reported: None,
        ahead_ms: 0.0,
    };
    let server = Rc::new(RefCell::new(server));
    let handler = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| take(&server, &event));
    page.set_onmessage(handler.as_ref().unchecked_ref());
    handler.forget();
    post(&page, &[&"ready".into()]);
}

fn take(server: &Rc<RefCell<Server>>, event: &MessageEvent) {
    let Ok(parts) = event.data().dyn_into::<Array>() else { return };
    match parts.get(0).as_string().as_deref() {
        Some(OPEN) => {
            server.borrow_mut().open(&parts);
            if !server.borrow().is_reading {
                server.borrow_mut().is_reading = true;
                spawn_local(read(Rc::clone(server)));
            }
        }
        Some(REQUEST) => server.borrow_mut().answer(&parts),
        Some(APPEND) => server.borrow_mut().append(&parts),
        _ => {}
    }
}

/// Reads the files to their ends, then builds the search index.
async fn read(server: Rc<RefCell<Server>>) {
    loop {
        let has_more = server.borrow_mut().turn();
        if !has_more {
            break;
        }
        TimeoutFuture::new(0).await;
    }
    server.borrow_mut().is_reading = false;
}

impl Server {
    /// Opens files; the message holds the time of the page, then paths and files in turn.
    fn open(&mut self, parts: &Array) {
        let mut inputs = Vec::new();
        // Files that are opened again take the place of those before; what a person decided stays.
        let mut monitor = LocalMonitor::new(format!("files-{}", js_sys::Date::now()));
        monitor.keep_categories(self.monitor.hub().overrides().clone());
        self.monitor = monitor;
        self.places.clear();
        self.files.clear();
        self.reported = None;
        self.ahead_ms = parts.get(1).as_f64().unwrap_or_default() - js_sys::Date::now();
        let parts: Vec<JsValue> = parts.iter().skip(2).collect();
        for pair in parts.chunks_exact(2) {
            let (Some(path), Some(mut bytes)) = (pair[0].as_string(), bytes_of(&pair[1])) else { continue };
            if let Ok(place) = ReadPlace::of_end(&mut *bytes) {
                self.places.insert(path.clone(), place);
            }
            self.files.push((path.clone(), pair[1].clone()));
            inputs.push(Input { path, bytes: Box::new(bytes) });
        }
        self.monitor.open(inputs);
    }

    fn answer(&mut self, parts: &Array) {
        let request = parts.get(2).as_string().and_then(|text| parsed::<LocalRequest>(&text));
        let Some(request) = request else { return };
        let answer = match request.url.strip_prefix("evidence?") {
            Some(query) => self.evidence(query),
            None => self.monitor.answer(&request, self.now()),
        };
        post(&self.page, &[&"answer".into(), &parts.get(1), &answer.status.into(), &answer.body.into()]);
        self.tell();
    }

    /// An evidence file of the opened logs, whose bytes are read once more.
    fn evidence(&self, query: &str) -> LocalAnswer {
        let input =
            |(path, file): &(String, JsValue)| Some(Input { path: path.clone(), bytes: Box::new(bytes_of(file)?) });
        self.monitor.evidence(query, self.files.iter().filter_map(input).collect(), self.now())
    }

    /// Reads what was added to a log; the message holds its path and the file. Status 409 when it was changed in another
    /// way, 503 while files are still read.
    fn append(&mut self, parts: &Array) {
        let path = parts.get(2).as_string().unwrap_or_default();
        let status = match self.monitor.progress().done {
            true if self.try_append(&path, &parts.get(3)).is_some() => 200,
            true => 409,
            false => 503,
        };
        post(&self.page, &[&"answer".into(), &parts.get(1), &status.into(), &"{}".into()]);
        self.tell();
    }

    fn try_append(&mut self, path: &str, file: &JsValue) -> Option<()> {
        let mut bytes = bytes_of(file)?;
        let added = self.places.get(path)?.added(&mut *bytes).ok()??;
        self.places.insert(path.to_owned(), ReadPlace::of_end(&mut *bytes).ok()?);
        if let Some((_, known)) = self.files.iter_mut().find(|(known, _)| known == path) {
            *known = file.clone();
        }
        self.monitor.append(path, &added, self.now()).then_some(())
    }

    /// The page's time; of an evidence file, that at which it was made.
    fn now(&self) -> i64 {
        self.monitor.made_at().unwrap_or((js_sys::Date::now() + self.ahead_ms) as i64)
    }

    /// Reads for a while; false when there is no more.
    fn turn(&mut self) -> bool {
        let began = js_sys::Date::now();
        let mut progress = self.monitor.progress();
        if progress.done {
            while js_sys::Date::now() - began < TURN_MS {
                if !self.monitor.index_more(INDEX_STEP) {
                    return false;
                }
            }
            return true;
        }
        while !progress.done && js_sys::Date::now() - began < TURN_MS {
            progress = self.monitor.step(self.now());
        }
        if progress.done || began - self.sent_at > NEWS_MS {
            self.tell();
            self.sent_at = js_sys::Date::now();
        } else {
            self.tell_state();
        }
        true
    }

    /// Tells the page how far the files are read.
    fn tell_state(&mut self) {
        let version = (self.monitor.reports().len(), self.monitor.progress().done, self.monitor.hub().event_count());
        // A home has thousands of files: the list is sent when it differs, and no more often than other news.
        let is_due = self.monitor.progress().done || js_sys::Date::now() - self.sent_at > NEWS_MS;
        let has_news = is_due && self.reported != Some(version);
        if has_news {
            self.reported = Some(version);
        }
        let state = FilesState {
            progress: self.monitor.progress(),
            memory: memory_bytes(),
            events: self.monitor.hub().event_count() as u64,
            reports: has_news.then(|| self.monitor.reports().to_vec()),
        };
        post(&self.page, &[&"state".into(), &message(&state).into()]);
    }

    /// Tells the page what changed too.
    fn tell(&mut self) {
        self.tell_state();
        if let Some(delta) = self.monitor.take_delta(self.now()) {
            post(&self.page, &[&"delta".into(), &message(&delta).into()]);
        }
    }
}

/// Bytes that the reader's program holds.
fn memory_bytes() -> f64 {
    let memory: Option<js_sys::WebAssembly::Memory> = wasm_bindgen::memory().dyn_into().ok();
    let buffer = memory.and_then(|memory| memory.buffer().dyn_into::<js_sys::ArrayBuffer>().ok());
    buffer.map_or(0.0, |buffer| f64::from(buffer.byte_length()))
}

fn post(page: &ReaderChannel, parts: &[&JsValue]) {
    let parts: Array = parts.iter().copied().collect();
    // A page that is gone hears nothing.
    page.post_message(&parts).unwrap_or_default();
}
