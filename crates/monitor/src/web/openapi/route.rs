//! Macro of the route tables: one line for each path, with its handlers.

/// Route of the handlers of one path. The OpenAPI operations follow from the handlers' types
/// ([`described`](super::describe::described)). Path and methods repeat those of `#[utoipa::path]`, for readers of the
/// table; [`checked`](super::describe::checked) compares them.
#[cfg(not(feature = "embed"))]
macro_rules! api_route {
    ($path:literal: $method:ident $handler:path $(, $other_method:ident $other:path)*) => {{
        use $crate::web::openapi::describe;
        let routes = describe::described(utoipa_axum::routes!($handler), $handler);
        $(let routes = describe::joined(routes, describe::described(utoipa_axum::routes!($other), $other));)*
        describe::checked(routes, $path, &[stringify!($method) $(, stringify!($other_method))*])
    }};
}

/// The same route without its description.
#[cfg(feature = "embed")]
macro_rules! api_route {
    ($path:literal: $method:ident $handler:path $(, $other_method:ident $other:path)*) => {
        $crate::web::openapi::route::undescribed($path, axum::routing::$method($handler)$(.$other_method($other))*)
    };
}

pub(in crate::web) use api_route;

/// A route for the same table, with a path and no operations.
#[cfg(feature = "embed")]
pub(in crate::web) fn undescribed<S>(
    path: &str,
    handlers: axum::routing::MethodRouter<S>,
) -> utoipa_axum::router::UtoipaMethodRouter<S> {
    let mut paths = utoipa::openapi::Paths::new();
    paths.paths.insert(path.to_owned(), utoipa::openapi::PathItem::default());
    (Vec::new(), paths, handlers)
}
