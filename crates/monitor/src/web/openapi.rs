//! OpenAPI document of REST v2 and of the input of hooks, and the routes that it describes. [`generated`] derives it
//! from the route tables and the types of the handlers. A program with the feature `embed` has the committed text
//! instead ([`embedded`]), so that the code which describes types is not in the released program.

#[cfg(feature = "embed")]
mod embedded;
#[cfg(not(feature = "embed"))]
mod generated;
pub(super) mod route;

use std::sync::LazyLock;

#[cfg(feature = "embed")]
pub use embedded::document;
#[cfg(not(feature = "embed"))]
pub(super) use generated::describe;
#[cfg(not(feature = "embed"))]
pub use generated::document;
pub(super) use route::api_route;

/// The document for `GET /openapi.json`, made once.
pub(super) fn served() -> &'static str {
    static DOCUMENT: LazyLock<String> = LazyLock::new(document);
    &DOCUMENT
}
