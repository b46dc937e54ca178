//! Handlers of `/api/v2/shared`: notes, resolved marks, views and rules of alerts that all people of a home see.

use axum::Extension;
use axum::extract::State;
use coordination::api::{
    AlertRuleSpec, MAX_NOTE_CHARS, MAX_VIEW_NAME_CHARS, MAX_VIEW_PATH_CHARS, Note, ResolvedMark, RuleProblem,
    SharedChanged, SharedContent, SharedList, SharedPut, SharedQuery, SharedRemoval, TeamView, is_own_path,
    is_shared_id,
};
use coordination::query;

use super::category::require_session;
use super::paths::SharedPath;
use crate::app::AppState;
use crate::core::overrides::SharedChange;
use crate::web::error::ApiError;
use crate::web::extract::{
    ApiResult, BadField, HubAt, RequestBody, StrictPath, StrictQuery, ValidJson, json, line, not_text,
};
use crate::web::request::RequestId;
use crate::web::security::MayCategorize;

/// Views for everybody, the notes and resolved marks of one session, or all records, oldest first.
#[utoipa::path(get, path = "/shared", tag = "shared")]
pub(super) async fn list(hub: HubAt, StrictQuery(filter): StrictQuery<SharedQuery>) -> ApiResult<SharedList> {
    hub.run_query(move |hub, _| json(&query::shared_records(hub, &filter))).await
}

/// Writes a record: a new one, or another content of one that is there. The response is sent when the change is
/// durable. A repeated request changes nothing.
#[utoipa::path(put, path = "/shared/{id}", tag = "shared")]
pub(super) async fn put(
    State(state): State<AppState>,
    MayCategorize(author): MayCategorize,
    Extension(request): Extension<RequestId>,
    StrictPath(SharedPath { id }): StrictPath<SharedPath>,
    ValidJson(body): ValidJson<SharedPut>,
) -> ApiResult<SharedChanged> {
    if let Some(place) = body.content.place() {
        require_session(&state, place.work_session_id.clone()).await?;
        let wanted = place.clone();
        if !state.run_query(move |hub, _| query::has_place(hub, &wanted)).await {
            let session = &place.work_session_id;
            return Err(ApiError::not_found(format!("The thread or message is not in session {session}")));
        }
    }
    let by = author.or_claimed(body.updated_by);
    let change = SharedChange {
        id: valid_id(id)?,
        content: Some(body.content),
        expected: body.expected,
        by,
        request_id: request.0,
    };
    json(&state.overrides().share(change).await?)
}

/// Removes a record. Its lines stay in the file. The author may be given; the body may be left out.
#[utoipa::path(delete, path = "/shared/{id}", tag = "shared")]
pub(super) async fn remove(
    State(state): State<AppState>,
    MayCategorize(author): MayCategorize,
    Extension(request): Extension<RequestId>,
    StrictPath(SharedPath { id }): StrictPath<SharedPath>,
    body: Option<ValidJson<SharedRemoval>>,
) -> ApiResult<SharedChanged> {
    let body = body.map(|ValidJson(body)| body).unwrap_or_default();
    let by = author.or_claimed(body.updated_by);
    let change = SharedChange { id: valid_id(id)?, content: None, expected: body.expected, by, request_id: request.0 };
    json(&state.overrides().share(change).await?)
}

fn valid_id(id: String) -> Result<String, ApiError> {
    let error = "id must have 1 to 64 letters, digits, - and _ of ASCII";
    if is_shared_id(&id) { Ok(id) } else { Err(ApiError::unprocessable("id", Vec::new(), error)) }
}

impl RequestBody for SharedPut {
    fn refuse(field: &BadField) -> ApiError {
        match (field.top.as_str(), field.name.as_str()) {
            ("content", _) => ApiError::unprocessable("content", Vec::new(), format!("content: {}", field.message)),
            ("expected", _) => not_a_revision(),
            (_, name) => not_text(name),
        }
    }

    fn validated(self) -> Result<Self, ApiError> {
        let content = match self.content {
            SharedContent::Note(note) => match text(&note.text, "content.text")? {
                text if text.is_empty() => {
                    let error = "content.text must not be blank";
                    return Err(ApiError::unprocessable("content.text", Vec::new(), error));
                }
                text => SharedContent::Note(Note { text, ..note }),
            },
            SharedContent::Resolved(mark) => {
                let reason = text(mark.reason.as_deref().unwrap_or_default(), "content.reason")?;
                SharedContent::Resolved(ResolvedMark { reason: Some(reason).filter(|text| !text.is_empty()), ..mark })
            }
            SharedContent::View(view) => SharedContent::View(valid_view(view)?),
            SharedContent::Rule(rule) => SharedContent::Rule(valid_rule(rule)?),
            SharedContent::Unknown => {
                let kinds = ["note", "resolved", "view", "rule"].map(str::to_owned).into();
                return Err(ApiError::unprocessable(
                    "content.kind",
                    kinds,
                    "content.kind must be note, resolved, view or rule",
                ));
            }
        };
        Ok(Self { content, updated_by: line(self.updated_by, "updatedBy", 200)?, ..self })
    }
}

impl RequestBody for SharedRemoval {
    fn refuse(field: &BadField) -> ApiError {
        if field.top == "expected" { not_a_revision() } else { not_text(&field.name) }
    }

    fn validated(self) -> Result<Self, ApiError> {
        Ok(Self { updated_by: line(self.updated_by, "updatedBy", 200)?, ..self })
    }
}

fn not_a_revision() -> ApiError {
    ApiError::unprocessable("expected", Vec::new(), "expected must be a revision: a whole number from 0")
}

/// A text without blanks around it. Line breaks and tabs stay, other control characters become spaces.
fn text(text: &str, field: &str) -> Result<String, ApiError> {
    let shown = |c: char| if c.is_control() && c != '\n' && c != '\t' { ' ' } else { c };
    let text = text.replace("\r\n", "\n").chars().map(shown).collect::<String>().trim().to_owned();
    if text.chars().count() <= MAX_NOTE_CHARS {
        return Ok(text);
    }
    Err(ApiError::unprocessable(field, Vec::new(), format!("{field} may hold {MAX_NOTE_CHARS} characters")))
}

fn valid_rule(rule: AlertRuleSpec) -> Result<AlertRuleSpec, ApiError> {
    let rule = AlertRuleSpec { name: rule.name.trim().to_owned(), ..rule };
    match rule.problem() {
        None => Ok(rule),
        Some(RuleProblem { field, must }) => {
            let field = format!("content.{field}");
            Err(ApiError::unprocessable(&field, Vec::new(), format!("{field} {must}")))
        }
    }
}

fn valid_view(view: TeamView) -> Result<TeamView, ApiError> {
    let blank = || ApiError::unprocessable("content.name", Vec::new(), "content.name must not be blank");
    let name = line(Some(view.name), "content.name", MAX_VIEW_NAME_CHARS)?.ok_or_else(blank)?;
    if !is_own_path(&view.path) || view.path.chars().count() > MAX_VIEW_PATH_CHARS {
        let error = "content.path must be an address of the dashboard that begins with /";
        return Err(ApiError::unprocessable("content.path", Vec::new(), error));
    }
    Ok(TeamView { name, ..view })
}
