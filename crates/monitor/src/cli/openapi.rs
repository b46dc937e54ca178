//! Command `task-monitor openapi`: prints the OpenAPI document, which is committed as `docs/openapi.json`.

use std::io::Write as _;

use anyhow::Context as _;

/// Prints the OpenAPI description of REST v2.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn run() -> anyhow::Result<()> {
    std::io::stdout().write_all(crate::web::document().as_bytes()).context("cannot write to standard output")
}
