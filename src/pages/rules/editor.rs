//! Editor of classifier rules, one row for each: a word or an agent, a category, and points for or against that
//! category.

use coordination::category::Category;
use leptos::html;
use leptos::prelude::*;

use super::RulesState;
use super::draft::{RuleKind, RuleLine, sentence};
use crate::i18n::use_i18n;
use crate::state::use_hub;
use crate::ui::Icon;
use crate::ui::menu::{Menu, MenuChoice};

/// Section with all rules of one kind, and a button that adds one. Without rules, a sentence says so.
#[component]
pub(super) fn RuleLines(state: RulesState, kind: RuleKind) -> impl IntoView {
    let words = use_i18n();
    let lines = Memo::new(move |_| {
        state
            .draft
            .lines
            .with(|lines| lines.iter().filter(|line| line.kind == kind).map(|line| line.key).collect::<Vec<_>>())
    });
    let rule =
        move |key: u64| state.draft.lines.with_untracked(|lines| lines.iter().find(|line| line.key == key).copied());
    let text =
        move |of_word: &'static str, of_agent: &'static str| if kind == RuleKind::Word { of_word } else { of_agent };
    let heading = move || {
        let rules = words.get().rules();
        text(rules.words, rules.agents)
    };
    let note = move || {
        let rules = words.get().rules();
        text(rules.words_note, rules.agents_note)
    };
    let add = move || {
        let rules = words.get().rules();
        text(rules.add_word, rules.add_agent)
    };
    let more = NodeRef::<html::Button>::new();
    // The focus moves to the next line of the list.
    let remove = move |key: u64| {
        state.draft.remove(key);
        if let Some(more) = more.get_untracked() {
            more.focus().unwrap_or_default();
        }
    };
    view! {
        <section class="rules-lines">
            <h2>{heading} " " <small>{move || lines.with(Vec::len)}</small></h2>
            <p class="is-dim">{note}</p>
            {move || lines.with(Vec::is_empty).then(|| view! { <p class="is-dim">{words.get().rules().none}</p> })}
            <ul class="rules-list" aria-label=heading hidden=move || lines.with(Vec::is_empty)>
                <For each=move || lines.get() key=|key| *key let:key>
                    {rule(key).map(|line| view! { <RuleRow state=state line=line on_remove=Callback::new(remove) /> })}
                </For>
            </ul>
            <button type="button" class="button is-small" node_ref=more on:click=move |_| state.draft.add(kind, None)>
                {Icon::Plus}
                {add}
            </button>
        </section>
    }
}

/// One rule: word or agent, category, points, remove button and error.
#[component]
fn RuleRow(state: RulesState, line: RuleLine, on_remove: Callback<u64>) -> impl IntoView {
    let words = use_i18n();
    let fault = Memo::new(move |_| {
        let rules = words.get().rules();
        let draft = state.compiled.get();
        if draft.unfinished.contains(&line.key) {
            return Some(rules.unfinished);
        }
        let of_it = state.preview.fault.get().filter(|fault| draft.line_of(fault) == Some(line.key));
        of_it.map(|fault| sentence(&fault, rules))
    });
    let categories = Signal::derive(move || {
        let choice = |category: Category| MenuChoice {
            value: category.as_str().to_owned(),
            text: (words.get().common.category)(category).to_owned(),
        };
        Category::ALL.map(choice).to_vec()
    });
    view! {
        <li class="rule">
            <RuleName line=line bad=Signal::derive(move || fault.get().is_some()) />
            <span class="is-dim" aria-hidden="true">"→"</span>
            <Menu
                label=Signal::derive(move || words.get().rules().category.to_owned())
                choices=categories
                value=Signal::derive(move || line.category.get().map(|it| it.as_str().to_owned()).unwrap_or_default())
                on_pick=Callback::new(move |key: String| line.category.set(key.parse().ok()))
            />
            <label class="rule__weight">
                <span>{move || words.get().rules().weight}</span>
                <input
                    type="number"
                    min="-20"
                    max="20"
                    step="any"
                    prop:value=move || line.weight.with(|weight| if weight.is_nan() { String::new() } else { weight.to_string() })
                    on:change=move |event| line.weight.set(event_target_value(&event).parse().unwrap_or(f64::NAN))
                />
            </label>
            <button
                type="button"
                class="icon-button"
                aria-label=move || (words.get().rules().remove)(&line.name.get())
                on:click=move |_| on_remove.run(line.key)
            >
                {Icon::Close}
            </button>
            {move || fault.get().map(|fault| view! { <p class="rule__fault" role="alert">{Icon::Warn} " " {fault}</p> })}
        </li>
    }
}

/// Field of the word, or menu of the agents.
#[component]
fn RuleName(line: RuleLine, bad: Signal<bool>) -> impl IntoView {
    let words = use_i18n();
    let field = NodeRef::<html::Input>::new();
    if line.kind == RuleKind::Agent {
        let hub = use_hub();
        let agents = Signal::derive(move || {
            let name = |name: String, id: &str| if name == id { name } else { format!("{name} · {id}") };
            let choice = |agent: coordination::api::AgentSummary| {
                let id = agent.id.to_string();
                MenuChoice { text: name(agent.name, &id), value: id }
            };
            hub.agents().into_iter().map(choice).collect::<Vec<_>>()
        });
        return view! {
            <Menu
                label=Signal::derive(move || words.get().rules().agent.to_owned())
                choices=agents
                value=line.name
                on_pick=Callback::new(move |id| line.name.set(id))
            />
        }
        .into_any();
    }
    Effect::new(move |_| {
        if let Some(field) = field.get().filter(|_| line.fresh) {
            field.focus().unwrap_or_default();
        }
    });
    view! {
        <input
            node_ref=field
            class="rule__word"
            type="text"
            maxlength="60"
            autocomplete="off"
            aria-label=move || words.get().rules().word
            placeholder=move || words.get().rules().word
            aria-invalid=move || bad.get().then_some("true")
            prop:value=line.name
            on:input=move |event| line.name.set(event_target_value(&event))
        />
    }
    .into_any()
}
