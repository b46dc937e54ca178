//! Handlers of `/api/v2/alerts`: rules and sinks of alerts with what became of their messages, a test of a sink, and another
//! attempt for a dead letter.

use axum::extract::State;
use axum::http::StatusCode;
use coordination::api::{AlertMessage, AlertRetry, AlertTest, AlertsPage, ErrorCode, PushSubscribed, PushSubscription};
use coordination::query;

use super::paths::SubscriptionPath;
use crate::app::AppState;
use crate::core::alerts::{AlertError, rules};
use crate::web::error::ApiError;
use crate::web::extract::{ApiResult, BadField, RequestBody, StrictPath, ValidJson, json, line, not_text};
use crate::web::security::MayCategorize;

/// Rules and sinks of alerts, their newest messages and dead letters. Addresses of sinks are cut to scheme, host and port.
#[utoipa::path(get, path = "/alerts", tag = "alerts")]
pub(super) async fn info(State(state): State<AppState>) -> ApiResult<AlertsPage> {
    alerts_page(&state).await
}

/// Sends a test message to a sink and returns it with its outcome. It is tried once.
#[utoipa::path(post, path = "/alerts/test", tag = "alerts")]
pub(super) async fn test(
    State(state): State<AppState>,
    MayCategorize(author): MayCategorize,
    ValidJson(AlertTest { sink, receiver }): ValidJson<AlertTest>,
) -> ApiResult<AlertMessage> {
    tracing::info!(sink, receiver, by = author.or_claimed(None), "a sink of alerts is tested");
    let tested = state.alerts().test(sink, receiver).await;
    json(&tested.map_err(|error| refusal(&error, "sink", &state))?)
}

/// Sends push messages to a browser from now on. The same address again changes name, language and keys.
#[utoipa::path(post, path = "/push-subscriptions", tag = "alerts")]
pub(super) async fn subscribe(
    State(state): State<AppState>,
    MayCategorize(author): MayCategorize,
    ValidJson(subscription): ValidJson<PushSubscription>,
) -> ApiResult<PushSubscribed> {
    let updated_by = author.or_claimed(subscription.updated_by.clone());
    let subscribed = state.alerts().subscribe(PushSubscription { updated_by, ..subscription }).await;
    let id = subscribed.map_err(|error| refusal(&error, "endpoint", &state))?;
    json(&PushSubscribed { id })
}

/// Sends a browser no push messages any more. The answer is the state after that.
#[utoipa::path(delete, path = "/push-subscriptions/{id}", tag = "alerts")]
pub(super) async fn unsubscribe(
    State(state): State<AppState>,
    MayCategorize(author): MayCategorize,
    StrictPath(SubscriptionPath { id }): StrictPath<SubscriptionPath>,
) -> ApiResult<AlertsPage> {
    let removed = state.alerts().unsubscribe(id, author.or_claimed(None)).await;
    removed.map_err(|error| refusal(&error, "id", &state))?;
    alerts_page(&state).await
}

/// Sends a dead letter again. The answer is the state after it became due.
#[utoipa::path(post, path = "/alerts/retry", tag = "alerts")]
pub(super) async fn retry(
    State(state): State<AppState>,
    MayCategorize(author): MayCategorize,
    ValidJson(AlertRetry { id, updated_by }): ValidJson<AlertRetry>,
) -> ApiResult<AlertsPage> {
    let retried = state.alerts().retry(id, author.or_claimed(updated_by)).await;
    retried.map_err(|error| refusal(&error, "id", &state))?;
    alerts_page(&state).await
}

/// The rules are those of this moment: who changed one sees it in the next answer.
async fn alerts_page(state: &AppState) -> ApiResult<AlertsPage> {
    let settings = state.settings().clone();
    let rules = state.run_query(move |hub, now| rules::all(&settings.alerts, &query::page_rules(hub), now)).await;
    json(&AlertsPage { rules, ..state.alerts().page() })
}

fn refusal(error: &AlertError, field: &str, state: &AppState) -> ApiError {
    let message = error.to_string();
    match error {
        AlertError::NoSink => {
            let names = state.alerts().page().sinks.into_iter().map(|sink| sink.name).collect();
            ApiError::unprocessable(field, names, format!("{field}: {message}"))
        }
        AlertError::NoReceiver => {
            let receivers = state.alerts().page().sinks.into_iter().flat_map(|sink| sink.receivers);
            let ids = receivers.map(|receiver| receiver.id).collect();
            ApiError::unprocessable("receiver", ids, format!("receiver: {message}"))
        }
        AlertError::NoMessage | AlertError::NoPush | AlertError::Subscription(_) => {
            ApiError::unprocessable(field, Vec::new(), format!("{field}: {message}"))
        }
        AlertError::Unavailable(_) => ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::NotCommitted, message),
    }
}

impl RequestBody for AlertTest {
    fn refuse(field: &BadField) -> ApiError {
        not_text(&field.name)
    }

    fn validated(self) -> Result<Self, ApiError> {
        Ok(self)
    }
}

impl RequestBody for PushSubscription {
    fn refuse(field: &BadField) -> ApiError {
        not_text(&field.name)
    }

    fn validated(self) -> Result<Self, ApiError> {
        Ok(Self { updated_by: line(self.updated_by, "updatedBy", 200)?, ..self })
    }
}

impl RequestBody for AlertRetry {
    fn refuse(field: &BadField) -> ApiError {
        match field.top.as_str() {
            "id" => ApiError::unprocessable("id", Vec::new(), "id must be a whole number from 0"),
            _ => not_text(&field.name),
        }
    }

    fn validated(self) -> Result<Self, ApiError> {
        Ok(Self { updated_by: line(self.updated_by, "updatedBy", 200)?, ..self })
    }
}
