//! HTTP: one router for REST 1.x, REST v2, live streams and the bundle.

mod v1;

use anyhow::Context as _;
use axum::Router;

use crate::config::Settings;
use crate::state::AppState;

/// The whole application as one router, without a socket: what tests call.
pub fn router(state: AppState) -> Router {
    Router::new().merge(v1::routes()).with_state(state)
}

/// Binds, says where, and serves until a signal comes.
///
/// # Errors
/// When the address cannot be bound.
pub async fn serve(settings: Settings) -> anyhow::Result<()> {
    let address = format!("{}:{}", settings.host, settings.port);
    let listener =
        tokio::net::TcpListener::bind(&address).await.with_context(|| format!("cannot listen on {address}"))?;
    axum::serve(listener, router(AppState::start(settings)?)).await?;
    Ok(())
}
