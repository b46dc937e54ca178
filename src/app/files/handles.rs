//! File handles (File System Access API), by which some browsers let a page read files again: logs are followed as they
//! grow. Browsers without them give files as they are once.

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, File};

use super::chosen::SKIPPED;

/// A `FileSystemFileHandle` or `FileSystemDirectoryHandle`.
#[derive(Debug, Clone)]
pub(super) struct Handle(JsValue);

impl Handle {
    /// Asks the person for a folder. `None` where the browser cannot, and nothing where the person declines.
    pub(super) fn pick_folder() -> Option<Promise> {
        let window = window();
        let pick: Function = Reflect::get(&window, &"showDirectoryPicker".into()).ok()?.dyn_into().ok()?;
        pick.call0(&window).ok()?.dyn_into().ok()
    }

    /// The dropped files and folders, as promises: they have to be asked for while the event lasts.
    pub(super) fn of_transfer(data: &DataTransfer) -> Vec<Promise> {
        let items = data.items();
        let handle = |item: web_sys::DataTransferItem| -> Option<Promise> {
            let ask: Function = Reflect::get(&item, &"getAsFileSystemHandle".into()).ok()?.dyn_into().ok()?;
            ask.call0(&item).ok()?.dyn_into().ok()
        };
        (0..items.length()).filter_map(|at| items.get(at)).filter_map(handle).collect()
    }

    /// The handle of a promise; none when the person declined or the browser has none.
    pub(super) async fn of_promise(promise: Promise) -> Option<Self> {
        let handle = JsFuture::from(promise).await.ok()?;
        handle.is_object().then_some(Self(handle))
    }

    /// The handle as the browser stores it.
    pub(super) fn value(&self) -> JsValue {
        self.0.clone()
    }

    pub(super) fn name(&self) -> String {
        Reflect::get(&self.0, &"name".into()).ok().and_then(|name| name.as_string()).unwrap_or_default()
    }

    pub(super) fn is_folder(&self) -> bool {
        Reflect::get(&self.0, &"kind".into()).is_ok_and(|kind| kind == "directory")
    }

    /// The file as it is now; none when it is gone or may not be read.
    pub(super) async fn file(&self) -> Option<File> {
        let get: Function = Reflect::get(&self.0, &"getFile".into()).ok()?.dyn_into().ok()?;
        let file: Promise = get.call0(&self.0).ok()?.dyn_into().ok()?;
        JsFuture::from(file).await.ok()?.dyn_into().ok()
    }

    /// All files below a folder, or the file itself, by their paths, and folders that cannot be listed; at most `most`.
    pub(super) async fn files(&self, most: usize) -> (Vec<(String, Self)>, Vec<String>) {
        let (mut found, mut missed) = (Vec::new(), Vec::new());
        let mut waiting = vec![(self.name(), self.clone())];
        while let Some((path, handle)) = waiting.pop() {
            if !handle.is_folder() {
                found.push((path, handle));
            } else if !SKIPPED.contains(&handle.name().as_str()) {
                match handle.below().await {
                    Ok(below) => {
                        waiting.extend(below.into_iter().map(|handle| (format!("{path}/{}", handle.name()), handle)));
                    }
                    Err(_) => missed.push(path),
                }
            }
            if found.len() >= most {
                missed.extend(waiting.into_iter().map(|(path, _)| path));
                break;
            }
        }
        (found, missed)
    }

    async fn below(&self) -> Result<Vec<Self>, JsValue> {
        let values: Function = Reflect::get(&self.0, &"values".into())?.dyn_into()?;
        let entries = values.call0(&self.0)?;
        let next: Function = Reflect::get(&entries, &"next".into())?.dyn_into()?;
        let mut found = Vec::new();
        loop {
            let entry = JsFuture::from(next.call0(&entries)?.dyn_into::<Promise>()?).await?;
            if Reflect::get(&entry, &"done".into())?.is_truthy() {
                return Ok(found);
            }
            found.push(Self(Reflect::get(&entry, &"value".into())?));
        }
    }
}

/// Size and time of the last change.
pub(super) fn stamp(file: &File) -> (f64, f64) {
    (file.size(), file.last_modified())
}
