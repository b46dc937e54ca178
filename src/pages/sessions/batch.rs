//! Batch category change of the selected sessions. Each session is changed or rejected separately. One undo is offered
//! for the changed sessions together.

use std::collections::HashMap;

use coordination::api::{CategoriesPatch, CategoryItem, CategoryResult, ErrorCode, ExpectedOverride, SessionCard};
use coordination::category::{Category, CategorySource};
use coordination::ids::SessionId;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::List;
use super::choice::SessionSelection;
use crate::components::session::CategoryDialog;
use crate::components::session_card::title_text;
use crate::i18n::messages::Messages;
use crate::i18n::{I18n, use_i18n};
use crate::state::{HubState, use_connection, use_hub, use_preferences};
use crate::ui::Icon;
use crate::ui::toast::{Toasts, use_toasts};

/// Sessions that were refused and are called by name; the others are counted.
const MAX_NAMED_SESSIONS: usize = 3;

/// One session and what is to become of it.
#[derive(Debug, Clone, PartialEq)]
struct BatchStep {
    id: SessionId,
    title: String,
    /// The override that was seen.
    before: Option<Category>,
    /// The override wanted.
    after: Option<Category>,
}

impl BatchStep {
    fn back(self) -> Self {
        Self { before: self.after, after: self.before, ..self }
    }

    fn item(&self) -> CategoryItem {
        let expected = Some(ExpectedOverride(self.before));
        CategoryItem { work_session_id: self.id.clone(), collab_category: self.after, expected }
    }
}

/// The override of a card.
fn by_hand(card: &SessionCard) -> Option<Category> {
    (card.category.source == CategorySource::ManualOverride).then_some(card.category.key)
}

/// `3개 선택됨`, and what can be done.
#[component]
pub(super) fn ChoiceBar(
    list: List,
    choice: SessionSelection,
    by_id: Memo<HashMap<SessionId, SessionCard>>,
) -> impl IntoView {
    let words = use_i18n();
    let compat = use_connection().compat;
    let open = RwSignal::new(false);
    let cards = Memo::new(move |_| {
        by_id.with(|by_id| choice.all().iter().filter_map(|id| by_id.get(id).cloned()).collect::<Vec<_>>())
    });
    let count = Memo::new(move |_| cards.with(Vec::len));
    let any_by_hand = Memo::new(move |_| cards.with(|cards| cards.iter().any(|card| by_hand(card).is_some())));
    let current = Memo::new(move |_| {
        cards.with(|cards| {
            let first = cards.first().map(|card| card.category.key)?;
            cards.iter().all(|card| card.category.key == first).then_some(first)
        })
    });
    let change = use_change(list, choice);
    // The expected values are those when the dialog opens: others may change them meanwhile.
    let seen = StoredValue::new(Vec::<SessionCard>::new());
    Effect::new(move |_| {
        if open.get() {
            seen.set_value(cards.get_untracked());
        }
    });
    let steps = move |cards: Vec<SessionCard>, after: Option<Category>| -> Vec<BatchStep> {
        let title = |card: &SessionCard| untrack(|| title_text(&card.title, card.title_source));
        let step = |card: &SessionCard| BatchStep {
            id: card.work_session_id.clone(),
            title: title(card),
            before: by_hand(card),
            after,
        };
        cards.iter().map(step).filter(|step| step.before != step.after).collect()
    };
    let on_choose = Callback::new(move |(category, reason): (Option<Category>, Option<String>)| {
        change.run((steps(seen.get_value(), category), category, reason));
    });
    let give_back = move |_| change.run((steps(cards.get_untracked(), None), None, None));
    view! {
        <div class="choice-bar" role="group" aria-label=move || words.get().sessions().chosen_ones hidden=move || !choice.any()>
            <p role="status">{move || choice.any().then(|| (words.get().sessions().chosen)(count.get()))}</p>
            <button type="button" class="button is-primary is-small" on:click=move |_| open.set(true)>
                {Icon::Pen}
                {move || words.get().thread().change_category}
            </button>
            <button
                type="button"
                class="button is-small"
                hidden=move || compat.get()
                disabled=move || !any_by_hand.get()
                on:click=give_back
            >
                {Icon::Retry}
                {move || words.get().sessions().return_many}
            </button>
            <button type="button" class="button is-quiet is-small" on:click=move |_| choice.deselect(&choice.now(), &[])>
                {move || words.get().sessions().choose_none}
            </button>
        </div>
        <CategoryDialog
            open=open
            legend=Signal::derive(move || (words.get().sessions().choose_for)(count.get()))
            current=current.into()
            automatic=Signal::stored(None)
            by_hand=any_by_hand
            on_choose=on_choose
        />
    }
}

/// Takes steps, the category they lead to and a reason.
fn use_change(list: List, choice: SessionSelection) -> Callback<(Vec<BatchStep>, Option<Category>, Option<String>)> {
    let (connection, preferences) = (use_connection(), use_preferences());
    let changer = BatchChanger { list, choice, words: use_i18n(), toasts: use_toasts(), hub: use_hub() };
    Callback::new(move |(steps, to, reason): (Vec<BatchStep>, Option<Category>, Option<String>)| {
        if steps.is_empty() {
            changer.choice.deselect(&changer.choice.now(), &[]);
            return changer.toasts.done(changer.words.now().sessions().many_unchanged);
        }
        let updated_by = preferences.author();
        let way = match to {
            Some(category) => BatchTarget::To(category),
            None => BatchTarget::Automatic,
        };
        changer.make(steps, way, (updated_by, reason), connection.compat.get_untracked());
    })
}

/// Where the steps lead.
#[derive(Debug, Clone, Copy)]
enum BatchTarget {
    To(Category),
    Automatic,
    Back,
}

#[derive(Clone, Copy)]
struct BatchChanger {
    list: List,
    choice: SessionSelection,
    words: I18n,
    toasts: Toasts,
    hub: HubState,
}

impl BatchChanger {
    /// Sends the changes; one toast shows the result and offers to undo the successful ones.
    fn make(
        self,
        steps: Vec<BatchStep>,
        way: BatchTarget,
        (updated_by, reason): (Option<String>, Option<String>),
        compat: bool,
    ) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        let items = steps.iter().map(BatchStep::item).collect();
        let patch = CategoriesPatch { items, updated_by: updated_by.clone(), reason };
        let under_way = self.toasts.under_way();
        // Sessions selected while the answer is pending stay selected, and so does the selection at an undo.
        let chosen = if matches!(way, BatchTarget::Back) { Vec::new() } else { self.choice.now() };
        spawn_local(async move {
            let _under_way = under_way;
            let words = self.words;
            let results = match source.patch_categories(&patch).await {
                Ok(answer) => answer.results,
                Err(error) => {
                    let words = words.now();
                    let text = format!("{}. {}", words.sessions().many_failed_all, error.sentence(words));
                    return self.toasts.failed(text);
                }
            };
            self.show(&results);
            let (refused, done): (Vec<_>, Vec<_>) =
                steps.into_iter().zip(results).partition(|(_, result)| result.refused.is_some());
            let left: Vec<SessionId> = refused.iter().map(|(step, _)| step.id.clone()).collect();
            self.choice.deselect(&chosen, &left);
            let text = result_text(words.now(), way, done.len(), &refused);
            // A 1.x monitor cannot return to the automatic category.
            let back: Vec<BatchStep> = done.into_iter().map(|(step, _)| step.back()).collect();
            let offered = !matches!(way, BatchTarget::Back)
                && !back.is_empty()
                && (!compat || back.iter().all(|step| step.after.is_some()));
            if offered {
                let undo = move || self.make(back.clone(), BatchTarget::Back, (updated_by.clone(), None), compat);
                self.toasts.done_with(text, words.now().thread().undo, undo);
            } else if refused.is_empty() {
                self.toasts.done(text);
            } else {
                self.toasts.failed(text);
            }
        });
    }

    /// Cards change in place, also in a list they no longer belong to.
    fn show(self, results: &[CategoryResult]) {
        self.list.shown.try_update(|shown| {
            for card in results.iter().filter_map(|result| result.session.as_ref()) {
                if let Some(own) = shown.iter_mut().find(|own| own.work_session_id == card.work_session_id) {
                    own.category = card.category.clone();
                }
            }
        });
    }
}

/// What was done, and who was refused and why.
fn result_text(words: &Messages, way: BatchTarget, done: usize, refused: &[(BatchStep, CategoryResult)]) -> String {
    let sessions = words.sessions();
    let what = (done > 0).then(|| match way {
        BatchTarget::To(category) => (sessions.many_saved)(done, (words.common.category)(category)),
        BatchTarget::Automatic => (sessions.many_returned)(done),
        BatchTarget::Back => (sessions.many_undone)(done),
    });
    let why = |(step, result): &(BatchStep, CategoryResult)| {
        let reason = match (result.refused, &result.manual) {
            (Some(ErrorCode::Conflict), Some(manual)) => {
                let name = manual.updated_by.as_deref().unwrap_or(words.thread().somebody);
                (sessions.refused_changed)(name, (words.common.category)(manual.collab_category))
            }
            (Some(ErrorCode::Conflict), None) => sessions.refused_returned.to_owned(),
            (Some(ErrorCode::NotFound), _) => sessions.refused_missing.to_owned(),
            (code, _) => (words.common.error)(code.unwrap_or(ErrorCode::Unknown)).to_owned(),
        };
        (sessions.refused_one)(&step.title, &reason)
    };
    let failed = (!refused.is_empty()).then(|| {
        let named = refused.iter().take(MAX_NAMED_SESSIONS).map(why).collect::<Vec<_>>().join(", ");
        let more = refused.len().saturating_sub(MAX_NAMED_SESSIONS);
        let more = if more > 0 { format!(" {}", (sessions.others)(more)) } else { String::new() };
        format!("{}: {named}{more}", (sessions.many_failed)(refused.len()))
    });
    what.into_iter().chain(failed).collect::<Vec<_>>().join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;
    use coordination::api::ManualOverride;

    fn refused(title: &str, code: ErrorCode, by: Option<&str>) -> (BatchStep, CategoryResult) {
        let id = SessionId::from(title);
        let manual = by.map(|by| ManualOverride {
            collab_category: Category::InfraOps,
            updated_at: String::new(),
            updated_by: Some(by.to_owned()),
        });
        let step = BatchStep { id: id.clone(), title: title.to_owned(), before: None, after: None };
        (step, CategoryResult { work_session_id: id, refused: Some(code), manual, session: None })
    }

    /// The first refused sessions are named with the reason, the rest are counted.
    #[test]
    fn refused_sessions_are_named_and_rest_counted() {
        let words = Locale::Ko.messages();
        let to = BatchTarget::To(Category::QaValidation);
        assert_eq!(result_text(words, to, 3, &[]), "협업 3건의 카테고리를 ‘QA/검증’으로 바꿨습니다");
        let one = [refused("배포", ErrorCode::Conflict, Some("온새"))];
        assert_eq!(
            result_text(words, to, 2, &one),
            "협업 2건의 카테고리를 ‘QA/검증’으로 바꿨습니다. 1개는 바꾸지 못했습니다: ‘배포’ (그사이 온새가 ‘인프라/운영’으로 바꿈)"
        );
        let many = ["가", "나", "다", "라", "마"].map(|title| refused(title, ErrorCode::NotFound, None));
        let text = result_text(words, BatchTarget::Back, 0, &many);
        assert!(text.starts_with("5개는 바꾸지 못했습니다: ‘가’ (로그에 없음), ‘나’"), "{text}");
        assert!(text.ends_with("외 2"), "{text}");
    }

    #[test]
    fn undo_expects_new_value_and_restores_old() {
        let step = BatchStep {
            id: "a".into(),
            title: String::new(),
            before: Some(Category::DocsKnowledge),
            after: Some(Category::InfraOps),
        };
        let item = step.back().item();
        assert_eq!(item.collab_category, Some(Category::DocsKnowledge));
        assert_eq!(item.expected, Some(ExpectedOverride(Some(Category::InfraOps))));
    }
}
