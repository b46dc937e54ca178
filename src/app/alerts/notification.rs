//! Notifications of the browser: shown by the service worker where there is one, so that they can be pressed after the
//! page was closed, and by the page otherwise.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// What a notification says and where it leads.
#[derive(Debug, Clone)]
pub(in crate::app) struct NotificationText {
    pub(in crate::app) title: String,
    pub(in crate::app) body: String,
    /// A notification replaces an older one with its tag, also that of another tab.
    pub(in crate::app) tag: String,
    /// The page that it opens.
    pub(in crate::app) path: String,
}

/// Whether the browser allows notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum Permission {
    Granted,
    Denied,
    /// The person was not asked yet.
    Unknown,
    /// Not at an address without TLS.
    Insecure,
    /// The browser has none.
    Unsupported,
}

type PressHandler = Closure<dyn FnMut()>;

thread_local! {
    /// Notifications of this page that are still shown, by tag.
    static SHOWN: RefCell<HashMap<String, (web_sys::Notification, PressHandler)>> = RefCell::default();
}

/// What the browser allows now.
pub(in crate::app) fn permission() -> Permission {
    if !window().is_secure_context() {
        return Permission::Insecure;
    }
    if !js_sys::Reflect::has(&window(), &"Notification".into()).unwrap_or(false) {
        return Permission::Unsupported;
    }
    match web_sys::Notification::permission() {
        web_sys::NotificationPermission::Granted => Permission::Granted,
        web_sys::NotificationPermission::Denied => Permission::Denied,
        _ => Permission::Unknown,
    }
}

/// Asks the person, if they were not asked yet; `then` gets what is allowed. To be called soon after a press.
pub(in crate::app) fn ask_permission(then: impl FnOnce(Permission) + 'static) {
    if permission() != Permission::Unknown {
        then(permission());
        return;
    }
    let answer = web_sys::Notification::request_permission();
    spawn_local(async move {
        if let Ok(answer) = answer {
            drop(JsFuture::from(answer).await);
        }
        then(permission());
    });
}

/// Notifications to remove.
enum Tags {
    One(String),
    /// All but these.
    Others(BTreeSet<String>),
}

impl Tags {
    fn holds(&self, tag: &str) -> bool {
        match self {
            Self::One(one) => one == tag,
            Self::Others(others) => !others.contains(tag),
        }
    }
}

/// Shows it, if the browser allows it.
pub(in crate::app) fn show(text: NotificationText, open: Callback<String>) {
    if permission() == Permission::Granted {
        // Without it the page still shows the line.
        spawn_local(async move { drop(show_now(text, open).await) });
    }
}

/// Removes the notification with this tag.
pub(super) fn close(tag: String) {
    close_all(Tags::One(tag));
}

/// Removes all notifications but those with these tags.
pub(super) fn close_others(tags: BTreeSet<String>) {
    close_all(Tags::Others(tags));
}

fn close_all(which: Tags) {
    if permission() == Permission::Granted {
        spawn_local(async move { drop(close_now(&which).await) });
    }
}

async fn show_now(text: NotificationText, open: Callback<String>) -> Result<(), JsValue> {
    let options = web_sys::NotificationOptions::new();
    options.set_body(&text.body);
    options.set_tag(&text.tag);
    // A newer one with the same tag is news, too.
    options.set_renotify(true);
    options.set_lang(&document().document_element().and_then(|root| root.get_attribute("lang")).unwrap_or_default());
    let base = document().base_uri()?.unwrap_or_default();
    options.set_icon(&format!("{base}icons/mark-192.png"));
    options.set_data(&JsValue::from_str(&text.path));
    if let Some(worker) = active_worker(&base).await {
        JsFuture::from(worker.show_notification_with_options(&text.title, &options)?).await?;
        return Ok(());
    }
    // On some phones only a worker may show one; on the first visit it comes a little later.
    let Ok(shown) = web_sys::Notification::new_with_options(&text.title, &options) else {
        let workers = workers().ok_or(JsValue::UNDEFINED)?;
        let worker: web_sys::ServiceWorkerRegistration = JsFuture::from(workers.ready()?).await?.dyn_into()?;
        JsFuture::from(worker.show_notification_with_options(&text.title, &options)?).await?;
        return Ok(());
    };
    let own = shown.clone();
    let path = text.path;
    let press = PressHandler::new(move || {
        own.close();
        window().focus().unwrap_or_default();
        open.run(path.clone());
    });
    shown.set_onclick(Some(press.as_ref().unchecked_ref()));
    SHOWN.with_borrow_mut(|all| drop(all.insert(text.tag, (shown, press))));
    Ok(())
}

async fn close_now(which: &Tags) -> Result<(), JsValue> {
    SHOWN.with_borrow_mut(|all| {
        all.retain(|tag, (shown, _)| {
            let is_closed = which.holds(tag);
            if is_closed {
                shown.close();
            }
            !is_closed
        });
    });
    let base = document().base_uri()?.unwrap_or_default();
    let Some(worker) = active_worker(&base).await else { return Ok(()) };
    let found: js_sys::Array = JsFuture::from(worker.get_notifications()?).await?.dyn_into()?;
    let found = found.iter().filter_map(|shown| shown.dyn_into::<web_sys::Notification>().ok());
    found.filter(|shown| shown.tag().is_some_and(|tag| which.holds(&tag))).for_each(|shown| shown.close());
    Ok(())
}

/// The service worker of the page, once it runs. Another app of the same origin may have one, too.
async fn active_worker(base: &str) -> Option<web_sys::ServiceWorkerRegistration> {
    let found = JsFuture::from(workers()?.get_registration()).await.ok()?;
    let registration: web_sys::ServiceWorkerRegistration = found.dyn_into().ok()?;
    (registration.scope() == base && registration.active().is_some()).then_some(registration)
}

/// Browsers have workers only with TLS, or on the machine itself.
pub(super) fn workers() -> Option<web_sys::ServiceWorkerContainer> {
    let navigator = window().navigator();
    let has = js_sys::Reflect::has(&navigator, &"serviceWorker".into()).unwrap_or(false);
    (has && window().is_secure_context()).then(|| navigator.service_worker())
}

/// Opens the path of a notification that the service worker showed and that was pressed.
pub(super) fn follow_clicks(open: Callback<String>) {
    let Some(workers) = workers() else { return };
    let on_message = Closure::<dyn FnMut(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
        let path = js_sys::Reflect::get(&event.data(), &"open".into()).ok().and_then(|path| path.as_string());
        if let Some(path) = path {
            open.run(path);
            // Without an answer the worker loads the page in this tab.
            if let Ok(port) = event.ports().get(0).dyn_into::<web_sys::MessagePort>() {
                port.post_message(&JsValue::TRUE).unwrap_or_default();
            }
        }
    });
    workers.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
}
