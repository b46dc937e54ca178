//! Web Push of this browser: its subscription at the push service of its maker, which the monitor sends to while no page is
//! open.

use coordination::api::{AlertSinkInfo, AlertsPage, PushSubscription};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{PushManager, PushSubscription as BrowserSubscription, PushSubscriptionOptionsInit};

use super::notification::workers;
use crate::i18n::{I18n, use_i18n};
use crate::source::push_subscriptions_url;
use crate::state::{HubState, Preferences, PushDevice, use_hub, use_preferences, use_push_device};
use crate::ui::toast::{Toasts, use_toasts};

/// What this browser needs to subscribe, and to tell the monitor.
#[derive(Clone, Copy)]
pub(in crate::app) struct Push {
    device: PushDevice,
    hub: HubState,
    preferences: Preferences,
    words: I18n,
    toasts: Toasts,
}

/// The context of the page.
pub(in crate::app) fn use_push() -> Push {
    Push {
        device: use_push_device(),
        hub: use_hub(),
        preferences: use_preferences(),
        words: use_i18n(),
        toasts: use_toasts(),
    }
}

/// The channel that sends push messages, if the monitor has one.
pub(in crate::app) fn push_sink(page: &AlertsPage) -> Option<&AlertSinkInfo> {
    page.sinks.iter().find(|sink| sink.public_key.is_some())
}

/// Whether this browser can subscribe. Safari on phones can only where the page is on the home screen.
pub(in crate::app) fn is_supported() -> bool {
    workers().is_some() && js_sys::Reflect::has(&window(), &"PushManager".into()).unwrap_or(false)
}

impl Push {
    /// Id of this browser's subscription. Reactive.
    pub(in crate::app) fn id(self) -> Option<String> {
        self.device.get()
    }

    /// Subscribes at the push service and at the monitor. The error is a sentence.
    pub(in crate::app) async fn subscribe(self) -> Result<(), String> {
        let page = self.page().await?;
        let key = push_sink(&page).and_then(|sink| sink.public_key.clone());
        let key = key.ok_or_else(|| self.words.now().tools().push_not_ready.to_owned())?;
        // One that the monitor does not know may be one that its service has ended.
        unsubscribe_browser().await.map_err(|error| reason(&error))?;
        let subscription = subscribe_browser(&key).await.map_err(|error| reason(&error))?;
        self.register(subscription, &key).await
    }

    /// Tells the monitor what it sends to, and the service worker how to repeat that. `key` is the public one of the
    /// monitor.
    async fn register(self, subscription: PushSubscription, key: &str) -> Result<(), String> {
        let Some(source) = self.hub.source.get_untracked() else { return Ok(()) };
        let said = PushSubscription {
            name: device_name(&window().navigator().user_agent().unwrap_or_default()),
            language: Some(self.preferences.locale.get_untracked().as_str().to_owned()),
            updated_by: self.preferences.author(),
            ..subscription
        };
        let subscribed = source.subscribe_push(&said).await.map_err(|error| error.sentence(self.words.now()))?;
        // Without the worker a renewed subscription is found by the next page.
        drop(tell_worker(Some((key, &said))).await);
        self.device.set(subscribed.id, said.endpoint);
        Ok(())
    }

    async fn page(self) -> Result<AlertsPage, String> {
        let Some(source) = self.hub.source.get_untracked() else { return Ok(AlertsPage::default()) };
        source.alerts().await.map_err(|error| error.sentence(self.words.now()))
    }

    /// Compares with what the monitor knows: it forgets a browser that somebody removed, or that its push service no longer
    /// knows. False when this browser gets nothing any more.
    pub(in crate::app) fn check(self, page: &AlertsPage) -> bool {
        let (Some(id), Some(sink)) = (self.device.get_untracked(), push_sink(page)) else { return true };
        let is_known = sink.receivers.iter().any(|receiver| receiver.id == id);
        if !is_known {
            self.forget();
        }
        is_known
    }

    /// The monitor no longer sends to this browser.
    pub(in crate::app) fn forget(self) {
        self.device.clear();
        spawn_local(async move {
            drop(tell_worker(None).await);
            drop(unsubscribe_browser().await);
        });
    }

    /// Takes the subscription back. A monitor that cannot be reached gets to know it from the push service.
    pub(in crate::app) async fn unsubscribe(self) {
        let id = self.device.get_untracked();
        self.forget();
        if let (Some(source), Some(id)) = (self.hub.source.get_untracked(), id) {
            drop(source.unsubscribe_push(&id).await);
        }
    }
}

/// Repeats the subscription once after the start of the page: browsers renew theirs, and change their language.
pub(super) fn renew_later() {
    let push = use_push();
    if push.device.get_untracked().is_none() {
        return;
    }
    let is_done = StoredValue::new(false);
    Effect::new(move |_| {
        if push.hub.source.get().is_none() || is_done.get_value() {
            return;
        }
        is_done.set_value(true);
        spawn_local(async move {
            // A monitor that cannot be reached now is asked by the next page.
            let Ok(page) = push.page().await else { return };
            let subscription = current().await.ok().flatten().and_then(|found| parsed(&found).ok());
            let key = push_sink(&page).and_then(|sink| sink.public_key.clone());
            let is_renewed = subscription.as_ref().is_some_and(|found| push.device.is_renewed(&found.endpoint));
            match (subscription, key) {
                (Some(subscription), Some(key)) if is_renewed || push.check(&page) => {
                    drop(push.register(subscription, &key).await);
                }
                // A monitor without the channel may have it again.
                (_, None) => {}
                _ => {
                    push.forget();
                    push.toasts.failed(push.words.now().tools().push_lost.to_owned());
                }
            }
        });
    });
}

async fn manager() -> Result<PushManager, JsValue> {
    let workers = workers().ok_or(JsValue::UNDEFINED)?;
    let worker: web_sys::ServiceWorkerRegistration = JsFuture::from(workers.ready()?).await?.dyn_into()?;
    worker.push_manager()
}

async fn current() -> Result<Option<BrowserSubscription>, JsValue> {
    let found = JsFuture::from(manager().await?.get_subscription()?).await?;
    Ok(found.dyn_into().ok())
}

async fn unsubscribe_browser() -> Result<(), JsValue> {
    if let Some(subscription) = current().await? {
        JsFuture::from(subscription.unsubscribe()?).await?;
    }
    Ok(())
}

/// Gives the service worker what it needs when the push service replaces the subscription while no page is open; `None`
/// when this browser gets no push messages.
async fn tell_worker(registered: Option<(&str, &PushSubscription)>) -> Result<(), JsValue> {
    let workers = workers().ok_or(JsValue::UNDEFINED)?;
    let worker: web_sys::ServiceWorkerRegistration = JsFuture::from(workers.ready()?).await?.dyn_into()?;
    let stored = match registered {
        Some((key, said)) => {
            let body = serde_json::to_string(said).map_err(|error| JsValue::from_str(&error.to_string()))?;
            let stored = js_sys::Object::new();
            for (name, value) in [("url", push_subscriptions_url().as_str()), ("key", key), ("body", &body)] {
                js_sys::Reflect::set(&stored, &name.into(), &value.into())?;
            }
            stored.into()
        }
        None => JsValue::NULL,
    };
    let message = js_sys::Object::new();
    js_sys::Reflect::set(&message, &"push".into(), &stored)?;
    worker.active().map_or(Ok(()), |worker| worker.post_message(&message))
}

/// A new subscription for this key of the monitor.
async fn subscribe_browser(key: &str) -> Result<PushSubscription, JsValue> {
    let options = PushSubscriptionOptionsInit::new();
    options.set_user_visible_only(true);
    options.set_application_server_key(&JsValue::from_str(key));
    parsed(&JsFuture::from(manager().await?.subscribe_with_options(&options)?).await?)
}

fn parsed(subscription: &JsValue) -> Result<PushSubscription, JsValue> {
    let text: String = js_sys::JSON::stringify(subscription)?.into();
    serde_json::from_str(&text).map_err(|error| JsValue::from_str(&error.to_string()))
}

/// What the browser says went wrong.
fn reason(error: &JsValue) -> String {
    let message = js_sys::Reflect::get(error, &"message".into()).ok().and_then(|message| message.as_string());
    message.or_else(|| error.as_string()).unwrap_or_default()
}

/// What people call a browser: its name and its system.
fn device_name(agent: &str) -> String {
    let first =
        |names: &[(&str, &'static str)]| names.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name);
    // Browsers name those that they are like, so the special ones come first.
    let browser = first(&[
        ("Edg", "Edge"),
        ("SamsungBrowser", "Samsung Internet"),
        ("Whale", "Whale"),
        ("OPR", "Opera"),
        ("Firefox", "Firefox"),
        ("FxiOS", "Firefox"),
        ("Chrome", "Chrome"),
        ("CriOS", "Chrome"),
        ("Safari", "Safari"),
    ]);
    let system = first(&[
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Android", "Android"),
        ("Mac OS", "Mac"),
        ("Windows", "Windows"),
        ("Linux", "Linux"),
    ]);
    browser.into_iter().chain(system).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_is_named_by_browser_and_system() {
        let android = "Mozilla/5.0 (Linux; Android 15; SM-S931N) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36";
        let iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";
        assert_eq!(device_name(android), "Samsung Internet · Android");
        assert_eq!(device_name(iphone), "Safari · iPhone");
        assert_eq!(device_name("curl/8"), "");
    }
}
