//! Answer bar of a permission request: allow, deny with a reason, or leave it to the terminal, and the time that is left. A
//! call that is hard to undo takes a second press. An answer is sent once, for exactly what is shown. OpenClaw takes no
//! reason and has no terminal.

use coordination::api::{
    ErrorCode, MAX_REASON_CHARS, PermissionAnswer, PermissionChannel, PermissionDecision, PermissionDetail,
};
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::i18n::use_i18n;
use crate::queries::Fetch;
use crate::source::SourceError;
use crate::state::{use_clock, use_hub, use_preferences};
use crate::ui::Icon;

/// An answer that is older than this was made by another clock.
const MAX_LATENCY_MS: i64 = 10_000;

/// What the reader is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerStep {
    Choose,
    /// The first press on allow: the second one sends it.
    Confirm,
    /// The reason of a refusal is written.
    Deny,
    Sending,
}

/// The bar at the bottom of the page.
#[component]
pub(super) fn AnswerBar(fetch: Fetch<PermissionDetail>) -> impl IntoView {
    let (words, clock, hub, preferences) = (use_i18n(), use_clock(), use_hub(), use_preferences());
    let step = RwSignal::new(AnswerStep::Choose);
    let reason = RwSignal::new(String::new());
    let failure = RwSignal::new(None::<SourceError>);
    let shown = move || fetch.data.get_untracked();
    let send = move |decision: PermissionDecision, confirmed: bool| {
        let (Some(detail), Some(source)) = (shown(), hub.source.get_untracked()) else { return };
        let text = reason.with_untracked(|reason| reason.trim().to_owned());
        let answer = PermissionAnswer {
            decision,
            digest: detail.digest.clone(),
            reason: Some(text).filter(|text| decision == PermissionDecision::Deny && !text.is_empty()),
            confirmed,
            updated_by: preferences.author(),
        };
        step.set(AnswerStep::Sending);
        failure.set(None);
        spawn_local(async move {
            let result = source.answer_permission(&detail.request.id, &answer).await;
            // The page may be gone.
            let (_, _) = (step.try_set(AnswerStep::Choose), failure.try_set(result.err()));
            fetch.refetch();
        });
    };
    let is_dangerous =
        Memo::new(move |_| fetch.data.with(|detail| detail.as_ref().is_some_and(|detail| !detail.dangers.is_empty())));
    // The buttons stay, and keep the focus, while only their words change.
    let denies = Memo::new(move |_| step.get() == AnswerStep::Deny);
    let allow = move || {
        if is_dangerous.get_untracked() && step.get_untracked() != AnswerStep::Confirm {
            step.set(AnswerStep::Confirm);
        } else {
            send(PermissionDecision::Allow, is_dangerous.get_untracked());
        }
    };
    // Also why the newest state is not known, such as a machine that went off meanwhile.
    let trouble = move || {
        failure.get().or_else(|| fetch.error.get()).map(|error| {
            let code = match &error {
                SourceError::Api { body, .. } => body.code,
                _ => ErrorCode::Unknown,
            };
            let own = (words.get().permission().refusal)(code).map(str::to_owned);
            own.unwrap_or_else(|| error.sentence(words.get()))
        })
    };
    // The request ends by the clock of its machine, which need not be that of the page.
    let ahead_ms = Memo::new(move |_| {
        let ahead_ms = fetch.data.with(|detail| detail.as_ref().map_or(0, |detail| detail.now - clock.running()));
        if ahead_ms.abs() > MAX_LATENCY_MS { ahead_ms } else { 0 }
    });
    let left = move || {
        fetch.data.with(|detail| {
            let expires = detail.as_ref().map_or(0, |detail| detail.request.expires_at);
            let secs = expires.saturating_sub(clock.second() + ahead_ms.get()).max(0) / 1_000;
            (words.get().permission().left)(u32::try_from(secs).unwrap_or(u32::MAX))
        })
    };
    let is_openclaw = Memo::new(move |_| {
        let is_own = |detail: &PermissionDetail| detail.request.channel == PermissionChannel::OpenClaw;
        fetch.data.with(|detail| detail.as_deref().is_some_and(is_own))
    });
    let note = move || {
        let serial = fetch.data.with(|detail| detail.as_ref().is_some_and(|detail| detail.request.serial));
        let words = words.get().permission();
        match (is_openclaw.get(), serial) {
            (true, _) => words.beside_openclaw,
            (false, true) => words.serial,
            (false, false) => words.beside,
        }
    };
    view! {
        <section class="permission__bar">
            <p class="permission__left"><b>{left}</b> " · " {note}</p>
            <p class="permission__trouble" role="alert">{trouble}</p>
            {move || denies.get().then(|| view! { <DenialReason reason=reason /> })}
            <div class="permission__actions">
                {move || match denies.get() {
                    true => {
                        let deny = move || send(PermissionDecision::Deny, false);
                        view! { <DenyButtons step=step on_deny=Callback::new(move |()| deny()) /> }.into_any()
                    }
                    false => {
                        let hand_over = move || send(PermissionDecision::Terminal, false);
                        let deny = move || match is_openclaw.get_untracked() {
                            true => send(PermissionDecision::Deny, false),
                            false => step.set(AnswerStep::Deny),
                        };
                        view! {
                            <ChoiceButtons
                                step=step
                                has_terminal=Signal::derive(move || !is_openclaw.get())
                                on_terminal=Callback::new(move |()| hand_over())
                                on_deny=Callback::new(move |()| deny())
                                on_allow=Callback::new(move |()| allow())
                            />
                        }
                            .into_any()
                    }
                }}
            </div>
        </section>
    }
}

/// Buttons to allow, to deny and to leave it to the terminal.
#[component]
fn ChoiceButtons(
    step: RwSignal<AnswerStep>,
    has_terminal: Signal<bool>,
    on_terminal: Callback<()>,
    on_deny: Callback<()>,
    on_allow: Callback<()>,
) -> impl IntoView {
    let words = use_i18n();
    let sending = Memo::new(move |_| step.get() == AnswerStep::Sending);
    let allow_label = move || {
        let words = words.get().permission();
        match step.get() {
            AnswerStep::Sending => words.sending,
            AnswerStep::Confirm => words.allow_again,
            AnswerStep::Choose | AnswerStep::Deny => words.allow,
        }
    };
    view! {
        <Show when=move || has_terminal.get()>
            <button type="button" class="button" disabled=move || sending.get() on:click=move |_| on_terminal.run(())>
                {move || words.get().permission().terminal}
            </button>
        </Show>
        <button
            type="button"
            class="button"
            disabled=move || sending.get()
            on:click=move |_| on_deny.run(())
        >
            {Icon::Close}
            {move || words.get().permission().deny}
        </button>
        <button
            type="button"
            class="button is-primary"
            class:is-danger=move || step.get() == AnswerStep::Confirm
            disabled=move || sending.get()
            on:click=move |_| on_allow.run(())
        >
            {Icon::Check}
            {allow_label}
        </button>
    }
}

/// Buttons to send a refusal, or to go back.
#[component]
fn DenyButtons(step: RwSignal<AnswerStep>, on_deny: Callback<()>) -> impl IntoView {
    let words = use_i18n();
    view! {
        <button type="button" class="button" on:click=move |_| step.set(AnswerStep::Choose)>
            {move || words.get().common.cancel}
        </button>
        <button type="button" class="button is-danger" on:click=move |_| on_deny.run(())>
            {move || words.get().permission().deny_send}
        </button>
    }
}

/// Field for the reason of a refusal.
#[component]
fn DenialReason(reason: RwSignal<String>) -> impl IntoView {
    let words = use_i18n();
    let field = NodeRef::<html::Textarea>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            field.focus().unwrap_or_default();
        }
    });
    view! {
        <label class="permission__reason">
            {move || words.get().permission().reason}
            <textarea
                node_ref=field
                rows="2"
                maxlength=MAX_REASON_CHARS.to_string()
                placeholder=move || words.get().permission().reason_hint
                prop:value=move || reason.get()
                on:input=move |event| reason.set(event_target_value(&event))
            ></textarea>
        </label>
    }
}
