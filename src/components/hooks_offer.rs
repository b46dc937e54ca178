//! Offer to install hooks for Claude Code and Codex, on a home page that has nothing to show yet: the command, what it
//! changes, what it sends, and how to undo it.

use coordination::api::{HooksSetup, SourceInfo};
use coordination::schema::AgentProgram;
use leptos::prelude::*;

use super::copy_button::CopyButton;
use crate::i18n::use_i18n;

/// An offer for each program on the monitor's machine; where its hooks are there already, how to begin.
#[component]
pub fn HooksOffers(source: SourceInfo) -> impl IntoView {
    let SourceInfo { claude_code, hooks_command, codex, codex_hooks_command, .. } = source;
    let offer = |program, setup, install| {
        let is_there = matches!(setup, HooksSetup::WithoutHooks | HooksSetup::WithHooks);
        is_there.then(|| view! { <HooksOffer program=program setup=setup install=install /> })
    };
    view! {
        {offer(AgentProgram::ClaudeCode, claude_code, hooks_command)}
        {offer(AgentProgram::Codex, codex, codex_hooks_command)}
    }
}

#[component]
fn HooksOffer(
    program: AgentProgram,
    setup: HooksSetup,
    /// The command that adds the hooks for this monitor.
    install: Option<String>,
) -> impl IntoView {
    let words = use_i18n();
    let title = move || {
        let words = words.get().data();
        (if setup == HooksSetup::WithHooks { words.hooks_ready } else { words.hooks_offer })(program.name())
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
        install.clone().filter(|_| setup != HooksSetup::WithHooks).map(|install| {
            let uninstall = format!("task-monitor hooks uninstall{}", program.hooks_option());
            view! {
                <p>{move || words.get().data().hooks_run}</p>
                {command(install)}
                <dl>
                    <dt>{move || words.get().data().hooks_changes}</dt>
                    <dd>{move || (words.get().data().hooks_changed)(program)}</dd>
                    <dt>{move || words.get().data().hooks_sends.0}</dt>
                    <dd>{move || words.get().data().hooks_sends.1}</dd>
                    <dt>{move || words.get().data().hooks_undo}</dt>
                    <dd>{command(uninstall)}</dd>
                </dl>
            }
        })
    };
    let id = match program {
        AgentProgram::ClaudeCode => "hooks-offer-claude-code",
        AgentProgram::Codex => "hooks-offer-codex",
    };
    view! {
        <section class="hooks-offer" aria-labelledby=id>
            <h2 id=id>{title}</h2>
            {steps()}
            <p class="is-dim">{move || (words.get().data().hooks_then)(program)}</p>
        </section>
    }
}
