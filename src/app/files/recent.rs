//! Files that were opened before, by their handles (File System Access), in the browser's IndexedDB: a person can open
//! them again without looking for them.

use js_sys::{Array, Function, Object, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbOpenDbRequest, IdbRequest, IdbTransactionMode};

use super::handles::Handle;
use crate::state::RecentFiles;

const DATABASE: &str = "task-hub-files";
const STORE: &str = "recent";
/// Openings that are kept.
const MAX_RECENT: usize = 5;

/// What was opened before, newest first. Nothing where the browser stores nothing.
pub(super) async fn list() -> Vec<RecentFiles> {
    let recent = |entry: &JsValue| {
        let text = |name: &str| Reflect::get(entry, &name.into()).ok()?.as_string();
        let at = Reflect::get(entry, &"at".into()).ok()?.as_f64()?;
        Some(RecentFiles { name: text("name")?, at: at as i64 })
    };
    entries().await.unwrap_or_default().iter().filter_map(recent).collect()
}

/// Notes an opening. A browser that stores nothing notes nothing.
pub(super) async fn note(name: &str, roots: &[Handle], at: i64) {
    write(name, roots, at).await.unwrap_or_default();
}

/// The handles of an opening, once the person allows the page to read them again; none if not.
pub(super) async fn handles(name: &str) -> Option<Vec<Promise>> {
    let entries = entries().await.ok()?;
    let entry = entries.iter().find(|entry| is_named(entry, name))?;
    let handles: Array = Reflect::get(entry, &"handles".into()).ok()?.dyn_into().ok()?;
    let mut allowed = Vec::new();
    for handle in handles.iter() {
        let ask: Function = Reflect::get(&handle, &"requestPermission".into()).ok()?.dyn_into().ok()?;
        let answer = JsFuture::from(ask.call0(&handle).ok()?.dyn_into::<Promise>().ok()?).await.ok()?;
        if answer.as_string().as_deref() != Some("granted") {
            return None;
        }
        allowed.push(Promise::resolve(&handle));
    }
    Some(allowed)
}

fn is_named(entry: &JsValue, name: &str) -> bool {
    Reflect::get(entry, &"name".into()).ok().and_then(|found| found.as_string()).as_deref() == Some(name)
}

/// The stored entries, newest first.
async fn entries() -> Result<Vec<JsValue>, JsValue> {
    let database = open().await?;
    let store = database.transaction_with_str(STORE)?.object_store(STORE)?;
    let all = done(&store.get_all()?).await?;
    database.close();
    let mut entries: Vec<JsValue> = all.dyn_into::<Array>()?.iter().collect();
    let at = |entry: &JsValue| Reflect::get(entry, &"at".into()).ok().and_then(|at| at.as_f64()).unwrap_or_default();
    entries.sort_by(|one, other| at(other).total_cmp(&at(one)));
    Ok(entries)
}

async fn write(name: &str, roots: &[Handle], at: i64) -> Result<(), JsValue> {
    let old = entries().await?;
    let database = open().await?;
    let store = database.transaction_with_str_and_mode(STORE, IdbTransactionMode::Readwrite)?.object_store(STORE)?;
    for entry in old.iter().filter(|entry| !is_named(entry, name)).skip(MAX_RECENT - 1) {
        store.delete(&Reflect::get(entry, &"name".into())?)?;
    }
    let entry = Object::new();
    Reflect::set(&entry, &"name".into(), &name.into())?;
    Reflect::set(&entry, &"at".into(), &(at as f64).into())?;
    Reflect::set(&entry, &"handles".into(), &roots.iter().map(Handle::value).collect::<Array>())?;
    done(&store.put(&entry)?).await?;
    database.close();
    Ok(())
}

async fn open() -> Result<IdbDatabase, JsValue> {
    let factory = window().indexed_db()?.ok_or("no IndexedDB")?;
    let request: IdbOpenDbRequest = factory.open_with_u32(DATABASE, 1)?;
    let upgraded = request.clone();
    let on_upgrade = Closure::once_into_js(move || {
        let parameters = web_sys::IdbObjectStoreParameters::new();
        parameters.set_key_path(&"name".into());
        let database = upgraded.result().ok().and_then(|result| result.dyn_into::<IdbDatabase>().ok());
        // Without the store every later request fails, and nothing is noted.
        database.map(|database| database.create_object_store_with_optional_parameters(STORE, &parameters).map(drop));
    });
    request.set_onupgradeneeded(Some(on_upgrade.unchecked_ref()));
    done(&request).await?.dyn_into()
}

/// The result of a request of IndexedDB.
async fn done(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let waiting = request.clone();
    let promise = Promise::new(&mut |resolve, reject| {
        waiting.set_onsuccess(Some(&resolve));
        waiting.set_onerror(Some(&reject));
    });
    JsFuture::from(promise).await?;
    request.result()
}
