//! Handler of `PATCH /api/v2/categories`: categories of many sessions in one durable write. Each session has its own
//! result.

use std::collections::HashSet;

use axum::Extension;
use axum::extract::State;
use coordination::api::{CategoriesPatch, CategoriesPatched, CategoryItem, CategoryResult, ErrorCode};
use coordination::ids::SessionId;
use coordination::query;

use super::category::{author_and_reason, refuse_change_field};
use crate::app::AppState;
use crate::core::overrides::OverrideChange;
use crate::web::error::ApiError;
use crate::web::extract::{Answer, BadField, Reply, RequestBody, ValidJson};
use crate::web::request::RequestId;
use crate::web::security::WriteAuth;

/// Most sessions of one request.
const MAX_ITEMS: usize = 200;
const NAMELESS: &str = "every item must name its workSessionId";

/// Sets the categories of many sessions, or returns them to their automatic ones. An invalid body is refused as a whole.
/// A session that does not exist, or whose category changed since it was read, is refused by itself.
#[utoipa::path(patch, path = "/categories", tag = "categories")]
pub(super) async fn set(
    State(state): State<AppState>,
    _auth: WriteAuth,
    Extension(request): Extension<RequestId>,
    ValidJson(body): ValidJson<CategoriesPatch>,
) -> Reply<CategoriesPatched> {
    let changes = changes(body, &request.0);
    let session_ids: Vec<SessionId> = changes.iter().map(|change| change.session_id.clone()).collect();
    let requested: Vec<_> =
        changes.iter().map(|change| (change.session_id.clone(), change.category.is_none())).collect();
    let accepted: HashSet<SessionId> = state
        .ask(move |hub, now| {
            // An override can be cleared even when the log no longer contains its session.
            let is_accepted = |id: &SessionId, clears: bool| {
                query::session_card(hub, now, id).is_some() || (clears && hub.overrides().contains_key(id))
            };
            requested.into_iter().filter(|(id, clears)| is_accepted(id, *clears)).map(|(id, _)| id).collect()
        })
        .await;
    let changes = changes.into_iter().filter(|change| accepted.contains(&change.session_id)).collect();
    let mut outcomes = state.overrides().change_all(changes).await?.into_iter();
    let refused: Vec<Option<ErrorCode>> = session_ids
        .iter()
        .map(|id| match accepted.contains(id) {
            true => outcomes.next().and_then(Result::err).map(|_| ErrorCode::Conflict),
            false => Some(ErrorCode::NotFound),
        })
        .collect();
    state
        .ask(move |hub, now| {
            let results = session_ids.into_iter().zip(refused).map(|(id, refused)| CategoryResult {
                refused,
                manual: hub.overrides().get(&id).cloned(),
                session: query::session_card(hub, now, &id),
                work_session_id: id,
            });
            Answer::new(&CategoriesPatched { results: results.collect() })
        })
        .await
}

fn changes(body: CategoriesPatch, request_id: &str) -> Vec<OverrideChange> {
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
            "items" => wrong("items must be a list"),
            "" => wrong("every item must be an object"),
            "workSessionId" => wrong(NAMELESS),
            _ => refuse_change_field(field),
        }
    }

    fn validated(self) -> Result<Self, ApiError> {
        if self.items.is_empty() || self.items.len() > MAX_ITEMS {
            return Err(wrong(&format!("items must hold 1 to {MAX_ITEMS} sessions")));
        }
        let (updated_by, reason) = author_and_reason(self.updated_by, self.reason)?;
        let mut ids = HashSet::new();
        for CategoryItem { work_session_id: id, .. } in &self.items {
            if id.as_str().is_empty() {
                return Err(wrong(NAMELESS));
            }
            if !ids.insert(id) {
                return Err(wrong("items must not repeat a workSessionId"));
            }
        }
        Ok(Self { updated_by, reason, ..self })
    }
}

fn wrong(error: &str) -> ApiError {
    ApiError::unprocessable("items", Vec::new(), error)
}
