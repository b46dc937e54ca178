//! Typed extractors and responses of REST v2. Extractors refuse with an [`ApiError`], which names a wrong query
//! parameter or body field. `openapi/generated/describe.rs` derives the OpenAPI operation from these types.

mod body;
mod hub_at;

use std::marker::PhantomData;

use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use coordination::api::ErrorCode;
use coordination::query::params::FromPairs;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(super) use self::body::{BadField, JsonBytes, RequestBody, ValidJson, line, not_text};
pub(super) use self::hub_at::HubAt;
use super::error::ApiError;

/// The query of a request, read strictly: a parameter that is unknown, given twice or not well-formed is refused.
#[derive(Debug)]
pub(super) struct StrictQuery<T>(pub(super) T);

impl<T: FromPairs, S: Send + Sync> FromRequestParts<S> for StrictQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Pairs(pairs) = Pairs::from_request_parts(parts, state).await?;
        Ok(Self(T::from_pairs(&pairs)?))
    }
}

/// The query of a request as it was sent, parameter by parameter.
#[derive(Debug)]
pub(super) struct Pairs(pub(super) Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Pairs {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let pairs = Query::from_request_parts(parts, state).await;
        let Query(mut pairs): Query<Vec<(String, String)>> =
            pairs.map_err(|_| invalid("The query string cannot be read"))?;
        hub_at::remove_read_parameters(parts, &mut pairs);
        Ok(Self(pairs))
    }
}

/// The ids in the path of a request.
#[derive(Debug)]
pub(super) struct StrictPath<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for StrictPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let ids = Path::from_request_parts(parts, state).await;
        ids.map(|Path(ids)| Self(ids)).map_err(|_| invalid("The path cannot be read"))
    }
}

fn invalid(error: &str) -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidValue, error)
}

/// JSON body of type `T`, serialised on the thread of the query, so that the async threads only send bytes.
pub(super) struct JsonResponse<T> {
    bytes: Vec<u8>,
    of: PhantomData<fn() -> T>,
}

/// What a handler of REST v2 returns.
pub(super) type ApiResult<T> = Result<JsonResponse<T>, ApiError>;

/// 200 with the value as compact JSON.
pub(super) fn json<T: Serialize>(value: &T) -> ApiResult<T> {
    match serde_json::to_vec(value) {
        Ok(bytes) => Ok(JsonResponse { bytes, of: PhantomData }),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written");
            Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, "Internal server error"))
        }
    }
}

/// 200 with the value, or 404 with a message that says what is missing.
pub(super) fn json_or_404<T: Serialize>(value: Option<T>, missing: impl FnOnce() -> String) -> ApiResult<T> {
    value.map_or_else(|| Err(ApiError::not_found(missing())), |value| json(&value))
}

impl<T> IntoResponse for JsonResponse<T> {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.bytes).into_response()
    }
}
