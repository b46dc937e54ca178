//! Header of a stored session: title, agent, kind, model, tokens, parent and children.

use std::sync::Arc;

use coordination::api::StoreRow;
use coordination::text::hidden;
use leptos::prelude::*;

use crate::components::agent::AgentLink;
use crate::components::copy_button::CopyButton;
use crate::components::hidden::{Name, Said};
use crate::components::people::use_people;
use crate::components::person_request::end_clock;
use crate::components::stored::{RunStatusBadge, StoreKindLabel, agent_of, key_name, tokens};
use crate::components::time_ago::{TimeAgo, use_now};
use crate::i18n::messages::StoresMessages;
use crate::i18n::{time, use_i18n};
use crate::pages::speak::{SpeakButton, SpeakTarget};
use crate::routes::paths;

/// The store's row of a session, if it has one.
pub(super) type StoreRowMemo = Memo<Option<Arc<StoreRow>>>;

/// Maximum number of named children; of more only the number is shown.
const MAX_NAMED_CHILDREN: usize = 12;

/// Title, agent, marks, key and facts of a stored session.
#[component]
pub(super) fn StoreHead(key: Memo<String>, row: StoreRowMemo, title: Memo<String>) -> impl IntoView {
    let words = use_i18n();
    let agent = Memo::new(move |_| {
        row.with(|row| row.as_ref().map(|row| row.agent_id.clone())).or_else(|| agent_of(&key.get()))
    });
    let target = Memo::new(move |_| row.with(|row| row.as_ref().and_then(|row| speak_target(row))));
    view! {
        <header class="store-head">
            <div class="store-head__line">
                <h1>{move || view! { <Name text=title.get() /> }}</h1>
                <SpeakButton target=target word=|words| words.act />
            </div>
            <p class="store-head__marks">
                {move || agent.get().map(|id| view! { <AgentLink id=id /> })}
                {move || row.get().map(|row| view! { <StoreMarks row=row /> })}
            </p>
            <p class="store-head__key">
                <code class="file-path">{move || view! { <Name text=key.get() /> }}</code>
                {move || {
                    let label = Signal::derive(move || words.get().stores().copy_key.to_owned());
                    view! { <CopyButton text=key.get() label=label bare=true /> }
                }}
            </p>
            {move || row.get().map(|row| view! { <StoreFacts row=row /> })}
        </header>
    }
}

/// Target of a message to this session; none for an archived one, which is read-only.
fn speak_target(row: &StoreRow) -> Option<SpeakTarget> {
    SpeakTarget::stored(&row.key, row.agent_id.clone()).filter(|_| !row.archived)
}

/// Kind, status of the last run, archived and pinned; nothing for what the row does not have.
#[component]
fn StoreMarks(row: Arc<StoreRow>) -> impl IntoView {
    let words = use_i18n();
    let kind = row.tool_kind.map(|kind| view! { <StoreKindLabel kind=kind class=row.classification /> });
    let status = row.status.map(|status| view! { <RunStatusBadge status=status /> });
    let word = move |is: bool, word: fn(&StoresMessages) -> &'static str| {
        is.then(|| view! { <span class="inferred">{move || word(words.get().stores())}</span> })
    };
    let why = row.archive_reason.clone().filter(|_| row.archived).map(|reason| {
        let reason_text = move || hidden::marked(&(words.get().stores().archived_by)(&reason)).into_owned();
        view! { <span class="is-dim">{reason_text}</span> }
    });
    view! { {kind} {status} {word(row.archived, |words| words.archived)} {why} {word(row.pinned, |words| words.pinned)} }
}

/// One term with its value; nothing without a value.
fn fact(word: fn(&StoresMessages) -> &'static str, value: Option<AnyView>) -> Option<impl IntoView> {
    let words = use_i18n();
    value.map(|value| {
        view! {
            <div>
                <dt>{move || word(words.get().stores())}</dt>
                <dd>{value}</dd>
            </div>
        }
    })
}

/// Facts of a stored session. Those without a value are left out.
#[component]
fn StoreFacts(row: Arc<StoreRow>) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let channel = row.channel.as_deref().filter(|channel| *channel != "unknown").map(|channel| match channel {
        "internal" => view! { {move || words.get().stores().internal} }.into_any(),
        channel => view! { <Name text=channel.to_owned() /> }.into_any(),
    });
    let model = row.model.clone().map(|model| {
        let model = match &row.model_provider {
            Some(provider) => format!("{provider}/{model}"),
            None => model,
        };
        let source = row.model_source;
        let source = move || source.and_then(|source| (words.get().stores().model_source)(source));
        view! { <Name text=model /> {move || suffix(source())} }.into_any()
    });
    let policy = row.effective_send_policy.map(|policy| {
        let source = row.send_policy_source;
        let source = move || source.map(|source| (words.get().stores().send_policy_source)(source));
        view! { {move || (words.get().stores().send_policy_is)(policy)} {move || suffix(source())} }.into_any()
    });
    let visibility = row
        .tools_visibility
        .map(|visibility| view! { {move || (words.get().stores().visibility_is)(visibility)} }.into_any());
    let prose = |text: &Option<String>| text.clone().map(|text| view! { <Said text=text /> }.into_any());
    let goal = row.goal.as_ref().map(|goal| goal.objective.clone());
    let stated = row.agent_status.clone().map(|statement| {
        let until = statement.expires_at;
        let end = move || match now.at.get() < until {
            true => (words.get().home.statement_ends)(&end_clock(words, now.at.get(), until)),
            false => words.get().stores().stated_over.to_owned(),
        };
        view! { <Said text=statement.note /> " " <span class="is-dim">{end}</span> }.into_any()
    });
    let changed = row.updated_at.map(|at| view! { <TimeAgo at=at /> }.into_any());
    let id = row.session_id.clone().map(|id| view! { <code class="file-path"><Name text=id /></code> }.into_any());
    let parent = row.spawned_by.clone().or_else(|| row.parent_session_key.clone()).filter(|key| *key != row.key);
    let parent = parent.map(|key| view! { <KeyLink key=key /> }.into_any());
    view! {
        <dl class="store-facts">
            {fact(|words| words.channel, channel)} {fact(|words| words.model, model)}
            <TokenFact row=Arc::clone(&row) /> {fact(|words| words.last_change, changed)}
            {fact(|words| words.spawned_by, parent)} {fact(|words| words.children_heading, children(&row))}
            {fact(|words| words.stated, stated)}
            {fact(|words| words.goal, prose(&goal))} {fact(|words| words.last_error, prose(&row.last_run_error))}
            {fact(|words| words.send_policy, policy)} {fact(|words| words.visibility, visibility)}
            {fact(|words| words.session_id, id)}
        </dl>
    }
}

/// Dimmed text behind a value, such as its source.
fn suffix(text: Option<&'static str>) -> Option<impl IntoView> {
    text.map(|text| view! { <span class="is-dim">{format!(" · {text}")}</span> })
}

/// Tokens, and the share of the context that they fill; nothing when they are unknown.
#[component]
fn TokenFact(row: Arc<StoreRow>) -> impl IntoView {
    let words = use_i18n();
    move || {
        let (total, share) = tokens(&row, words)?;
        let locale = words.locale();
        let size = row.context_tokens.and_then(|size| u64::try_from(size).ok()).map(|size| time::count(locale, size));
        let context = share.zip(size).map(|(share, size)| (words.get().stores().context_of)(&share, &size));
        Some(view! {
            <div>
                <dt>{words.get().stores().tokens_used}</dt>
                <dd>{total} {context.map(|share| view! { <span class="is-dim">{format!(" · {share}")}</span> })}</dd>
            </div>
        })
    }
}

/// Sessions below this one, as links.
fn children(row: &StoreRow) -> Option<AnyView> {
    let words = use_i18n();
    let rest = row.child_sessions.len().saturating_sub(MAX_NAMED_CHILDREN);
    let links =
        row.child_sessions.iter().take(MAX_NAMED_CHILDREN).cloned().map(|key| view! { <li><KeyLink key=key /></li> });
    (!row.child_sessions.is_empty()).then(|| {
        view! {
            <ul>
                {links.collect_view()}
                {(rest > 0).then(|| view! { <li class="is-dim">{move || (words.get().sessions().others)(rest)}</li> })}
            </ul>
        }
        .into_any()
    })
}

/// Link to a stored session by its key.
#[component]
pub(super) fn KeyLink(key: String) -> impl IntoView {
    let people = use_people();
    let (href, title) = (paths::store(&key), hidden::marked(&key).into_owned());
    view! {
        <a class="link" href=href title=title>
            {move || key_name(&key, people)}
        </a>
    }
}
