//! Derivation of OpenAPI operations from the argument and return types of handlers: parameters, body, response and
//! write authorisation. The attribute `#[utoipa::path]` of a handler names method, path, tag, and what its types do not
//! show, such as other media types.

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use coordination::api::AtQuery;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{Content, Ref, RefOr, Required, ResponseBuilder, SecurityRequirement};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouter;

use crate::web::error::ApiError;
use crate::web::extract::{HubAt, JsonBytes, JsonResponse, StrictPath, StrictQuery, ValidJson};
use crate::web::security::{MayAnswer, MayCategorize, MaySpeak, Viewer, WriteAuth};

/// Schemas that operations refer to, by name.
pub(in crate::web) type Schemas = Vec<(String, RefOr<Schema>)>;

/// What an argument of a handler adds to its operation.
pub(in crate::web) trait DescribeInput {
    /// Adds it.
    fn describe(_operation: &mut Operation, _schemas: &mut Schemas) {}
}

/// What the result of a handler adds to its operation.
pub(in crate::web) trait DescribeAnswer {
    /// Adds it.
    fn describe(operation: &mut Operation, schemas: &mut Schemas);
}

/// A handler whose operation follows from its types.
pub(in crate::web) trait DescribeHandler<Arguments> {
    /// Completes the operation.
    fn describe(operation: &mut Operation, schemas: &mut Schemas);
}

impl<T> DescribeInput for State<T> {}
impl<T> DescribeInput for Extension<T> {}
impl<T, E> DescribeInput for Result<T, E> {}
impl DescribeInput for HeaderMap {}
impl DescribeInput for Parts {}

impl DescribeInput for HubAt {
    fn describe(operation: &mut Operation, _schemas: &mut Schemas) {
        add_parameters::<AtQuery>(operation, &ParameterIn::Query);
    }
}

impl<T: IntoParams> DescribeInput for StrictQuery<T> {
    fn describe(operation: &mut Operation, _schemas: &mut Schemas) {
        add_parameters::<T>(operation, &ParameterIn::Query);
    }
}

impl<T: IntoParams> DescribeInput for StrictPath<T> {
    fn describe(operation: &mut Operation, _schemas: &mut Schemas) {
        add_parameters::<T>(operation, &ParameterIn::Path);
    }
}

impl DescribeInput for WriteAuth {
    fn describe(operation: &mut Operation, _schemas: &mut Schemas) {
        let either = ["token", "pageSession"].map(|name| SecurityRequirement::new::<_, [&str; 0], &str>(name, []));
        operation.security = Some(either.to_vec());
    }
}

impl DescribeInput for Viewer {
    fn describe(_operation: &mut Operation, _schemas: &mut Schemas) {}
}

impl DescribeInput for MayCategorize {
    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        WriteAuth::describe(operation, schemas);
    }
}

impl DescribeInput for MaySpeak {
    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        WriteAuth::describe(operation, schemas);
    }
}

impl DescribeInput for MayAnswer {
    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        WriteAuth::describe(operation, schemas);
    }
}

impl<T: ToSchema> DescribeInput for JsonBytes<T> {
    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        set_body::<T>(operation, schemas, Some(Required::True));
    }
}

impl<T: ToSchema> DescribeInput for ValidJson<T> {
    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        set_body::<T>(operation, schemas, Some(Required::True));
    }
}

impl<T: ToSchema> DescribeInput for Option<ValidJson<T>> {
    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        set_body::<T>(operation, schemas, None);
    }
}

impl<T: ToSchema> DescribeAnswer for JsonResponse<T> {
    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        let answer = ResponseBuilder::new().content("application/json", content::<T>(schemas)).build();
        operation.responses.responses.insert("200".to_owned(), answer.into());
    }
}

/// Its attribute says what it holds.
impl DescribeAnswer for Response {
    fn describe(_operation: &mut Operation, _schemas: &mut Schemas) {}
}

/// The errors are those of all operations ([`common`](super::common)).
impl<T: DescribeAnswer> DescribeAnswer for Result<T, ApiError> {
    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        T::describe(operation, schemas);
    }
}

/// An error with headers of its own.
impl<T: DescribeAnswer> DescribeAnswer for Result<T, Response> {
    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        T::describe(operation, schemas);
    }
}

/// Adds the parameters of `T` to an operation.
pub(in crate::web) fn add_parameters<T: IntoParams>(operation: &mut Operation, place: &ParameterIn) {
    let parameters = T::into_params(|| Some(place.clone()));
    operation.parameters.get_or_insert_default().extend(parameters.into_iter().map(RefOr::T));
}

fn set_body<T: ToSchema>(operation: &mut Operation, schemas: &mut Schemas, required: Option<Required>) {
    let body = RequestBodyBuilder::new().content("application/json", content::<T>(schemas)).required(required);
    operation.request_body = Some(body.build().into());
}

fn content<T: ToSchema>(schemas: &mut Schemas) -> Content {
    let name = T::name();
    schemas.push((name.to_string(), T::schema()));
    T::schemas(schemas);
    Content::builder().schema(Some(Ref::from_schema_name(name))).build()
}

macro_rules! describe_handlers {
    ($($argument:ident)*) => {
        impl<F, Fut, Returned, $($argument),*> DescribeHandler<($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> Fut,
            Fut: Future<Output = Returned>,
            Returned: DescribeAnswer,
            $($argument: DescribeInput),*
        {
            fn describe(operation: &mut Operation, schemas: &mut Schemas) {
                $($argument::describe(operation, schemas);)*
                Returned::describe(operation, schemas);
            }
        }
    };
}

describe_handlers!(A);
describe_handlers!(A B);
describe_handlers!(A B C);
describe_handlers!(A B C D);
describe_handlers!(A B C D E);

/// The route of one handler with its operation completed.
pub(in crate::web) fn described<S, H: DescribeHandler<A>, A>(
    (mut schemas, mut paths, router): UtoipaMethodRouter<S>,
    _handler: H,
) -> UtoipaMethodRouter<S> {
    for item in paths.paths.values_mut() {
        let methods = [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
        for operation in methods.into_iter().flatten() {
            let of_attribute = operation.parameters.take();
            H::describe(operation, &mut schemas);
            if let Some(parameters) = of_attribute {
                operation.parameters.get_or_insert_default().extend(parameters);
            }
        }
    }
    (schemas, paths, router)
}

/// Two methods of one path.
pub(in crate::web) fn joined<S: Clone>(
    (mut schemas, mut paths, router): UtoipaMethodRouter<S>,
    other: UtoipaMethodRouter<S>,
) -> UtoipaMethodRouter<S> {
    schemas.extend(other.0);
    paths.merge(other.1);
    (schemas, paths, router.merge(other.2))
}

/// Compares a line of the route table with `#[utoipa::path]` of its handlers. Every test that builds the router fails
/// when they differ.
pub(in crate::web) fn checked<S>(routes: UtoipaMethodRouter<S>, path: &str, methods: &[&str]) -> UtoipaMethodRouter<S> {
    debug_assert!(routes.1.paths.keys().eq([path]), "{path}: the handlers have another path");
    debug_assert!(
        routes.1.paths.values().all(|item| {
            let (get, put, post) = (("get", &item.get), ("put", &item.put), ("post", &item.post));
            let described = [get, put, post, ("patch", &item.patch), ("delete", &item.delete)];
            described.iter().all(|(name, operation)| operation.is_some() == methods.contains(name))
        }),
        "{path}: the handlers have other methods than {methods:?}"
    );
    routes
}
