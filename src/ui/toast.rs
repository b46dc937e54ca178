//! Toasts: short messages about the result of a user's action, some with a button for undo or another attempt. They
//! never show the connection state.

use std::sync::Arc;

use leptos::prelude::*;

use super::{Icon, Tone};

/// One message.
#[derive(Clone)]
struct Toast {
    key: u64,
    tone: Tone,
    text: String,
    action: Option<ToastAction>,
}

/// What can be done about it. It outlives the page that offered it.
#[derive(Clone)]
struct ToastAction {
    label: &'static str,
    run: Arc<dyn Fn() + Send + Sync>,
}

/// How long a message stays; long enough to read two lines of Korean.
const SHOWN_MS: u32 = 6_000;
/// How long one stays that offers something: long enough to decide and to get there by keyboard.
const UNDO_OFFERED_MS: u32 = 30_000;

/// Where messages are put.
#[derive(Clone, Copy)]
pub struct Toasts {
    list: RwSignal<Vec<Toast>>,
    next: StoredValue<u64>,
    /// How many acts are on their way.
    under_way: RwSignal<u32>,
}

/// An act is on its way as long as this lives.
#[must_use]
pub struct UnderWay(RwSignal<u32>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.try_update(|count| *count -= 1);
    }
}

impl Toasts {
    fn new() -> Self {
        Self { list: RwSignal::new(Vec::new()), next: StoredValue::new(0), under_way: RwSignal::new(0) }
    }

    /// An act begins. Until it is known what comes of it, what older messages offer waits: taken back now, it would not
    /// be what the user did last.
    pub fn under_way(self) -> UnderWay {
        self.under_way.update(|count| *count += 1);
        UnderWay(self.under_way)
    }

    /// Says that something worked.
    pub fn done(self, text: impl Into<String>) {
        self.push(Tone::Success, text.into(), None);
    }

    /// Says that something worked and offers an act, e.g. to take it back.
    pub fn done_with(self, text: impl Into<String>, label: &'static str, run: impl Fn() + Send + Sync + 'static) {
        self.push(Tone::Success, text.into(), Some(ToastAction { label, run: Arc::new(run) }));
    }

    /// Says that something failed.
    pub fn failed(self, text: impl Into<String>) {
        self.push(Tone::Danger, text.into(), None);
    }

    /// Says that something failed and offers an act, e.g. to do it all the same.
    pub fn failed_with(self, text: impl Into<String>, label: &'static str, run: impl Fn() + Send + Sync + 'static) {
        self.push(Tone::Danger, text.into(), Some(ToastAction { label, run: Arc::new(run) }));
    }

    /// Takes back what the newest message offers to take back; false when none does, or an act is on its way.
    pub fn undo(self) -> bool {
        if self.under_way.get_untracked() > 0 {
            return false;
        }
        let newest = self.list.with_untracked(|list| {
            let undoable = list.iter().rev().filter(|toast| toast.tone == Tone::Success);
            undoable.filter_map(|toast| Some((toast.key, toast.action.clone()?))).next()
        });
        let Some((key, action)) = newest else { return false };
        self.drop_key(key);
        (action.run)();
        true
    }

    fn push(self, tone: Tone, text: String, action: Option<ToastAction>) {
        let key = self.next.with_value(|next| *next);
        self.next.set_value(key + 1);
        let shown = if action.is_some() { UNDO_OFFERED_MS } else { SHOWN_MS };
        self.list.update(|list| {
            // What an older message offers may no longer be what the user would take back.
            list.retain(|toast| toast.text != text && !(action.is_some() && toast.action.is_some()));
            list.push(Toast { key, tone, text, action });
        });
        gloo_timers::callback::Timeout::new(shown, move || self.drop_key(key)).forget();
    }

    fn drop_key(self, key: u64) {
        self.list.update(|list| list.retain(|toast| toast.key != key));
    }
}

/// Makes toasts available below.
pub fn provide_toasts() {
    provide_context(Toasts::new());
}

/// Where to put a message.
pub fn use_toasts() -> Toasts {
    use_context().unwrap_or_else(Toasts::new)
}

/// The place on screen.
#[component]
pub fn ToastStack(#[prop(into)] close_label: Signal<String>) -> impl IntoView {
    let toasts = use_toasts();
    let waits = Memo::new(move |_| toasts.under_way.get() > 0);
    view! {
        <div class="toasts" role="status" aria-live="polite">
            <For each=move || toasts.list.get() key=|toast| toast.key let:toast>
                <div class=format!("toast is-{}", toast.tone.as_str())>
                    {if toast.tone == Tone::Danger { Icon::Warn } else { Icon::Ok }} <p>{toast.text}</p>
                    {toast
                        .action
                        .map(|action| {
                            let act = move |_| {
                                if !waits.get_untracked() {
                                    toasts.drop_key(toast.key);
                                    (action.run)();
                                }
                            };
                            // Disabled outright it would lose the focus.
                            let off = move || waits.get().then_some("true");
                            view! {
                                <button type="button" class="button is-small" aria-disabled=off on:click=act>
                                    {action.label}
                                </button>
                            }
                        })}
                    <button
                        type="button"
                        class="icon-button"
                        aria-label=move || close_label.get()
                        on:click=move |_| toasts.drop_key(toast.key)
                    >
                        {Icon::Close}
                    </button>
                </div>
            </For>
        </div>
    }
}
