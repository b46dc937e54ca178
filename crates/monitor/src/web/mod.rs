//! HTTP server: one router for REST 1.x, REST v2, live streams and the dashboard's bundle. Start with [`v2`];
//! `state.rs` is what the handlers share.

pub(crate) mod bundle;
mod connection_timeout;
mod error;
mod extract;
mod fleet_reads;
mod forward;
mod machines;
mod metrics;
mod openapi;
mod probes;
mod request;
mod security;
mod state;
mod v1;
mod v2;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::uri::{PathAndQuery, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::routing::get;
use axum::serve::ListenerExt as _;
use coordination::api::Writes;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::task::JoinHandle;
use tower::ServiceBuilder;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};

use crate::app::AppState;
use crate::config::{FleetSettings, Settings};
use crate::fleet::{self, Fleet, FleetService, PublishFault};
use crate::home::HomeDir;
use crate::sources::transcripts::TranscriptFeed;

#[cfg(test)]
pub(crate) use connection_timeout::HEAD_TIMEOUT;
pub(crate) use connection_timeout::TimeoutListener;
use connection_timeout::{Peer, RequestPhase};
#[cfg(test)]
pub(crate) use v2::live::routes as live_routes;

pub use error::ApiError;
use machines::Machines;
pub use openapi::document;
pub use request::RequestId;
pub use security::WriteAuth;
use state::WebState;

/// Largest body of a request; five routes take more.
const MAX_BODY: usize = 16 * 1024;
/// Limit of open files that is requested of the system.
const MAX_OPEN_FILES: u64 = 8_192;
/// Open files reserved for the monitor itself where the system gives few: a small home takes 23, logs held open
/// up to 80.
const MIN_RESERVE: u64 = 128;
/// Streams that stay open after a signal are cut after this.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);

/// The whole application as one router, without a socket: what tests call.
pub fn router(state: &AppState) -> Router {
    router_of(&WebState::new(state.clone()))
}

/// The same with the machines of a fleet, each below `@<name>/`.
fn router_with(state: &AppState, fleet: Fleet) -> Router {
    let machines = Machines::new(fleet);
    let state = WebState { fleet: Some(machines.clone()), ..WebState::new(state.clone()) };
    machines.with_routes(&state)
}

fn router_of(state: &WebState) -> Router {
    let bundle = bundle::Bundle::new(state.app.settings().clone());
    let mut routes = v1::routes();
    if !state.app.settings().api1_only {
        routes = routes.merge(v2::router(state)).merge(operation_routes());
    }
    let routes: Router = routes
        .fallback(move |request: Request| async move { bundle.serve(request).await })
        .method_not_allowed_fallback(|| async { ApiError::of_status(axum::http::StatusCode::METHOD_NOT_ALLOWED) })
        .layer(CatchPanicLayer::custom(request::panicked))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(state.clone(), forward::forward))
        .layer(from_fn_with_state(state.clone(), security::guard))
        .layer(from_fn(request::finish))
        .layer(from_fn_with_state(state.clone(), security::protect))
        .layer(from_fn_with_state(state.clone(), metrics::measure))
        .layer(CompressionLayer::new().quality(CompressionLevel::Precise(4)).compress_when(worth_compressing()))
        .with_state(state.clone())
        .merge(probes::routes(&state.app).layer(from_fn_with_state(state.clone(), security::protect)));
    let base = state.app.settings().base_path.clone();
    let inner = ServiceBuilder::new().map_request(move |request| to_route(request, &base)).service(routes);
    Router::new().fallback_service(inner)
}

/// Routes for those who operate the server, below the same checks as the API.
fn operation_routes() -> Router<WebState> {
    Router::new()
        .route("/metrics", get(metrics::metrics))
        .route("/openapi.json", get(|| async { ([(CONTENT_TYPE, "application/json")], openapi::served()) }))
}

/// Below a sub-path the same routes answer with and without it: some proxies strip it, some do not. The address `/`
/// is the page for browsers and the description of the 1.x API for programs.
fn to_route<B>(mut request: axum::http::Request<B>, base: &str) -> axum::http::Request<B> {
    let uri = request.uri();
    let path = uri.path();
    let stripped = match path.strip_prefix(base) {
        _ if base == "/" => path.to_owned(),
        Some(rest) => format!("/{rest}"),
        None if path == base.trim_end_matches('/') => "/".to_owned(),
        None => path.to_owned(),
    };
    let page = bundle::accepts_html(request.headers());
    let path = match stripped.as_str() {
        "/" if page => "/index.html",
        "/" => "/api",
        other => other,
    };
    if path != uri.path() {
        let text = uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
        if let Ok(target) = PathAndQuery::try_from(text) {
            // A host that the target names itself is looked at later.
            let mut parts = uri.clone().into_parts();
            parts.path_and_query = Some(target);
            if let Ok(uri) = Uri::from_parts(parts) {
                *request.uri_mut() = uri;
            }
        }
    }
    request
}

/// JSON and pages above a kilobyte, and files inside the program that a client does not take as they are packed. Other
/// static files are compressed beforehand or not at all, streams must not be held back.
fn worth_compressing() -> impl Predicate {
    let kind = |_: axum::http::StatusCode,
                _: axum::http::Version,
                headers: &axum::http::HeaderMap,
                extensions: &axum::http::Extensions| {
        let kind =
            headers.get(axum::http::header::CONTENT_TYPE).map(axum::http::HeaderValue::as_bytes).unwrap_or_default();
        let is_one_of = |known: &[&[u8]]| known.iter().any(|known| kind.starts_with(known));
        is_one_of(&[b"application/json", b"text/html"])
            || (extensions.get::<bundle::FromProgram>().is_some()
                && is_one_of(&[b"text/css", b"text/javascript", b"application/wasm"]))
    };
    SizeAbove::new(1024).and(kind)
}

/// Binds, calls `listening` with the address of the dashboard, and serves until a signal comes.
///
/// # Errors
/// When the address cannot be bound.
pub async fn serve(settings: Settings, listening: impl FnOnce(&str)) -> anyhow::Result<()> {
    let host = settings.host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let listener = tokio::net::TcpListener::bind((host.as_str(), settings.port)).await;
    let listener = listener.with_context(|| format!("cannot listen on {host} port {}", settings.port))?;
    let address = listener.local_addr()?;
    let home = settings.home.display(settings.home.root());
    let base = settings.base_path.clone();
    if settings.is_loopback() && !address.ip().to_canonical().is_loopback() {
        anyhow::bail!(
            "{host} resolves to {address}, which other machines can reach. Give the address itself to listen there"
        );
    }
    for caution in &settings.cautions {
        tracing::warn!("{caution}");
    }
    let writes = settings.writes();
    let settings = of_aggregator(settings);
    metrics::note_start();
    // The system chose it where 0 was asked for.
    let state = AppState::start(Settings { port: address.port(), ..settings })?;
    let (mut shown_fleet, mut publishing) = (None, None);
    let dashboard = format!("http://{address}{base}");
    match state.settings().fleet.as_ref().filter(|fleet| !fleet.ship) {
        Some(fleet) => tracing::info!("showing the fleet {} on {dashboard}", fleet.name),
        None => tracing::info!("serving {home} on {dashboard}"),
    }
    listening(&dashboard);
    match writes {
        Writes::Nobody => tracing::warn!(
            "read-only: other machines reach {address} and no write token is set (TASK_MONITOR_WRITE_TOKEN or \
             write_token_file), so nobody may change anything"
        ),
        Writes::Page | Writes::Unknown => tracing::info!("only the page of this monitor may write: no token is set"),
        Writes::Token => tracing::info!("the write token and the page on this machine may write"),
    }
    let routes = match settings_of_fleet(&state) {
        Some(shown) if !shown.ship => {
            let fleet = Fleet::start(state.settings(), &shown)?;
            shown_fleet = Some(fleet.clone());
            router_with(&state, fleet)
        }
        Some(published) => {
            let routes = router(&state);
            // A monitor that publishes its home has a feed.
            let feed = state.transcript_feed();
            publishing = feed.map(|feed| publish_beside(published, (&state, feed), routes.clone()));
            routes
        }
        None => router(&state),
    };
    let app = from_peers(routes).into_make_service_with_connect_info::<Peer>();
    // Without TCP_NODELAY, the last segment of an answer waits up to 40 ms for the client's delayed ACK.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "no TCP_NODELAY: small answers may be delayed");
        }
    });
    let timeout_listener = TimeoutListener::new(listener, Arc::clone(state.live().clients()), connections());
    let closing = state.clone();
    let graceful = axum::serve(timeout_listener, app).with_graceful_shutdown(async move {
        signal().await;
        tracing::info!("closing");
        closing.close();
    });
    let mut closed = state.closing();
    let shutdown_deadline = async move {
        // The sender lives in the state held above, so waiting cannot fail.
        drop(closed.wait_for(|closing| *closing).await);
        tokio::time::sleep(SHUTDOWN_GRACE).await;
    };
    tokio::select! {
        served = graceful.into_future() => served?,
        () = shutdown_deadline => {}
    }
    // It says that it stops.
    if let Some(publishing) = publishing {
        drop(tokio::time::timeout(SHUTDOWN_GRACE, publishing).await);
    }
    // A panic there was logged, and the next start reads the log.
    let saved = tokio::task::spawn_blocking(move || {
        state.save_cache();
        if let Some(fleet) = shown_fleet {
            fleet.close();
        }
    });
    drop(saved.await);
    Ok(())
}

fn settings_of_fleet(state: &AppState) -> Option<FleetSettings> {
    state.settings().fleet.clone()
}

/// A process that shows a fleet has no home of its own: it would not be one of the machines.
fn of_aggregator(settings: Settings) -> Settings {
    match settings.fleet.as_ref().filter(|fleet| !fleet.ship).and_then(|fleet| fleet.mirror.clone()) {
        Some(mirror) => {
            let home = HomeDir::new(mirror.join("own"));
            // An empty log; where it cannot be made, the mirrors cannot either, and that is said.
            drop(std::fs::create_dir_all(home.logs()).and_then(|()| std::fs::write(home.live_log(), [])));
            Settings { home, is_read_only: true, ..settings }
        }
        None => settings,
    }
}

/// Publishes the home until the server closes. A second publisher ends publishing and not the dashboard.
fn publish_beside(
    published: FleetSettings,
    (state, feed): (&AppState, TranscriptFeed),
    routes: Router,
) -> JoinHandle<()> {
    let Settings { home, clock, watcher, .. } = state.settings();
    let (home, watched) = (home.clone(), (*clock, *watcher));
    let closing = state.closing();
    let service = FleetService {
        commands: published.writes.then(|| forward::runner(routes.clone(), state.settings())),
        reads: published.reads.then(|| fleet_reads::runner(routes, state.settings())),
        open_requests: state.permissions().shown().watch(),
    };
    tokio::spawn(async move {
        match fleet::publish(published, (home, feed), watched, (closing, Some(service))).await {
            Ok(()) => {}
            Err(fault @ (PublishFault::Conflict | PublishFault::Removed)) => tracing::error!("fleet: {fault}"),
            Err(fault) => tracing::error!("fleet: publishing ended: {fault}"),
        }
    })
}

/// Handlers know the peer by its address alone; its connection learns the phase of the request.
fn from_peers(routes: Router) -> Router {
    let named = |ConnectInfo(Peer { address, phase }): ConnectInfo<Peer>, mut request: Request, next: Next| async move {
        request.extensions_mut().insert(ConnectInfo(address));
        if let Some(conflicting_length) = phase.begin() {
            request.extensions_mut().insert(conflicting_length);
        }
        RequestPhase::end_with(phase, next.run(request).await)
    };
    routes.layer(from_fn(named))
}

/// Connections at once, once this process may open as many files as the system lets it.
fn connections() -> usize {
    let allowed = getrlimit(Resource::Nofile);
    let most =
        allowed.maximum.map_or(MAX_OPEN_FILES, |most| most.min(MAX_OPEN_FILES)).max(allowed.current.unwrap_or(0));
    let files = match setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..allowed }) {
        Ok(()) => most,
        Err(error) => {
            tracing::debug!(%error, "the limit of open files stays as it is");
            allowed.current.unwrap_or(MAX_OPEN_FILES)
        }
    };
    usize::try_from(files - reserved(files)).unwrap_or(usize::MAX)
}

/// Of this many open files, those that are no connections: logs, folders, stores and refused connections. A quarter,
/// at least [`MIN_RESERVE`], and never more than three quarters.
fn reserved(files: u64) -> u64 {
    (files / 4).max(MIN_RESERVE).min(files / 4 * 3)
}

/// Waits for a signal that ends the process.
pub(crate) async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (mut terminate, mut hangup) = match signals {
        (Ok(terminate), Ok(hangup)) => (terminate, hangup),
        (Err(error), _) | (_, Err(error)) => {
            tracing::warn!(%error, "only Ctrl-C ends this process");
            drop(tokio::signal::ctrl_c().await);
            return;
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}
