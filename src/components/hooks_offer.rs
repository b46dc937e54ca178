//! Offer to install hooks for Claude Code, on a home page that has nothing to show yet: the command, what it changes, what
//! it sends, and how to undo it.

use coordination::api::ClaudeCodeSetup;
use leptos::prelude::*;

use super::copy_button::CopyButton;
use crate::i18n::use_i18n;

const UNINSTALL: &str = "task-monitor hooks uninstall";

/// The offer; where the hooks are there already, how to begin.
#[component]
pub fn HooksOffer(
    setup: ClaudeCodeSetup,
    /// The command that adds the hooks for this monitor.
    install: Option<String>,
) -> impl IntoView {
    let words = use_i18n();
    let title = move || {
        let words = words.get().data();
        if setup == ClaudeCodeSetup::WithHooks { words.hooks_ready } else { words.hooks_offer }
    };
    let command = |text: String| {
        view! {
            <span class="hooks-offer__command">
                <code>{text.clone()}</code>
                <CopyButton text=text label=Signal::derive(move || words.get().common.copy.to_owned()) bare=true />
            </span>
        }
    };
    let steps = move || {
        install.clone().filter(|_| setup != ClaudeCodeSetup::WithHooks).map(|install| {
            view! {
                <p>{move || words.get().data().hooks_run}</p>
                {command(install)}
                <dl>
                    <dt>{move || words.get().data().hooks_changes.0}</dt>
                    <dd>{move || words.get().data().hooks_changes.1}</dd>
                    <dt>{move || words.get().data().hooks_sends.0}</dt>
                    <dd>{move || words.get().data().hooks_sends.1}</dd>
                    <dt>{move || words.get().data().hooks_undo}</dt>
                    <dd>{command(UNINSTALL.to_owned())}</dd>
                </dl>
            }
        })
    };
    view! {
        <section class="hooks-offer" aria-labelledby="hooks-offer">
            <h2 id="hooks-offer">{title}</h2>
            {steps()}
            <p class="is-dim">{move || words.get().data().hooks_then}</p>
        </section>
    }
}
