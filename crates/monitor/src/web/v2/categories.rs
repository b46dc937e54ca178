//! Handler of `PATCH /api/v2/categories`: categories of many sessions in one durable write. Each session has its own
//! result.

use std::collections::{HashMap, HashSet};

use axum::Extension;
use axum::extract::State;
use coordination::api::{CategoriesPatch, CategoriesPatched, CategoryItem, CategoryResult, ErrorCode};
use coordination::ids::SessionId;
use coordination::query;

use super::category::{author_and_reason, refuse_change_field};
use crate::app::AppState;
use crate::core::overrides::OverrideChange;
use crate::web::error::ApiError;
use crate::web::extract::{ApiResult, BadField, RequestBody, ValidJson, json};
use crate::web::request::RequestId;
use crate::web::security::MayCategorize;

/// Most sessions of one request.
const MAX_ITEMS: usize = 200;
const ID_REQUIRED: &str = "every item must name its workSessionId";

/// Sets the categories of many sessions, or returns them to their automatic ones. An invalid body is refused as a whole.
/// A session that does not exist, or whose category changed since it was read, is refused by itself.
#[utoipa::path(patch, path = "/categories", tag = "categories")]
pub(super) async fn set(
    State(state): State<AppState>,
    MayCategorize(author): MayCategorize,
    Extension(request): Extension<RequestId>,
    ValidJson(body): ValidJson<CategoriesPatch>,
) -> ApiResult<CategoriesPatched> {
    let changes =
        override_changes(CategoriesPatch { updated_by: author.or_claimed(body.updated_by), ..body }, &request.0);
    let session_ids: Vec<SessionId> = changes.iter().map(|change| change.session_id.clone()).collect();
    let changeable = changeable_sessions(&state, &changes).await;
    let (changes, unknown): (Vec<_>, Vec<_>) =
        changes.into_iter().partition(|change| changeable.contains(&change.session_id));
    let changed_ids: Vec<SessionId> = changes.iter().map(|change| change.session_id.clone()).collect();

    // Outcomes are in the order of the changes. A single change is refused only for a conflict.
    let outcomes = state.overrides().change_all(changes).await?;
    let conflicts = changed_ids.into_iter().zip(outcomes).filter(|(_, outcome)| outcome.is_err());
    let mut refusals: HashMap<SessionId, ErrorCode> = conflicts.map(|(id, _)| (id, ErrorCode::Conflict)).collect();
    refusals.extend(unknown.into_iter().map(|change| (change.session_id, ErrorCode::NotFound)));

    state
        .run_query(move |hub, now| {
            let results = session_ids.into_iter().map(|id| CategoryResult {
                refused: refusals.get(&id).copied(),
                manual: hub.overrides().get(&id).cloned(),
                session: query::session_card(hub, now, &id),
                work_session_id: id,
            });
            json(&CategoriesPatched { results: results.collect() })
        })
        .await
}

/// Sessions of the changes whose category can be set or cleared.
async fn changeable_sessions(state: &AppState, changes: &[OverrideChange]) -> HashSet<SessionId> {
    let requested: Vec<(SessionId, bool)> =
        changes.iter().map(|change| (change.session_id.clone(), change.category.is_none())).collect();
    state
        .run_query(move |hub, now| {
            // An override can be cleared even when the log no longer contains its session.
            let is_changeable = |id: &SessionId, clears: bool| {
                query::session_card(hub, now, id).is_some() || (clears && hub.overrides().contains_key(id))
            };
            requested.into_iter().filter(|(id, clears)| is_changeable(id, *clears)).map(|(id, _)| id).collect()
        })
        .await
}

fn override_changes(body: CategoriesPatch, request_id: &str) -> Vec<OverrideChange> {
    let CategoriesPatch { items, updated_by: by, reason } = body;
    let change = |(number, item): (usize, CategoryItem)| OverrideChange {
        session_id: item.work_session_id,
        category: item.collab_category,
        expected: item.expected,
        by: by.clone(),
        reason: reason.clone(),
        request_id: format!("{request_id}.{number}"),
    };
    items.into_iter().enumerate().map(change).collect()
}

impl RequestBody for CategoriesPatch {
    fn refuse(field: &BadField) -> ApiError {
        match field.name.as_str() {
            "items" => invalid_items("items must be a list"),
            "" => invalid_items("every item must be an object"),
            "workSessionId" => invalid_items(ID_REQUIRED),
            _ => refuse_change_field(field),
        }
    }

    fn validated(self) -> Result<Self, ApiError> {
        if self.items.is_empty() || self.items.len() > MAX_ITEMS {
            return Err(invalid_items(&format!("items must hold 1 to {MAX_ITEMS} sessions")));
        }
        let (updated_by, reason) = author_and_reason(self.updated_by, self.reason)?;
        let mut ids = HashSet::new();
        for CategoryItem { work_session_id: id, .. } in &self.items {
            if id.as_str().is_empty() {
                return Err(invalid_items(ID_REQUIRED));
            }
            if !ids.insert(id) {
                return Err(invalid_items("items must not repeat a workSessionId"));
            }
        }
        Ok(Self { updated_by, reason, ..self })
    }
}

fn invalid_items(error: &str) -> ApiError {
    ApiError::unprocessable("items", Vec::new(), error)
}
