//! Builder of a hub whose only input is the hooks of one Claude Code session, for the tests in `named.rs` and
//! `resting.rs`.

use coordination::hub::Hub;
use coordination::schema::hook::Capture;
use coordination::schema::{Defaults, Ledger, read_item_with};
use serde_json::{Value, json};

use super::log::START_MS;

/// The session of [`team`].
pub(crate) const SESSION: &str = "8c35adc1-0000-4000-8000-000000000001";

/// A session in a folder of this name: its hooks, each some milliseconds after [`START_MS`]; `terminal` in one names another
/// terminal.
pub(crate) fn team(folder: &str, hooks: Vec<(i64, Value)>) -> Hub {
    let mut ledger = Ledger::default();
    let inputs = hooks.into_iter().map(|(after, mut payload)| {
        let terminal = payload.as_object_mut().and_then(|payload| payload.remove("terminal")).unwrap_or(json!("term_1"));
        payload["session_id"] = json!(SESSION);
        payload["cwd"] = json!(format!("/home/mina/{folder}"));
        let item = json!({"received_at": coordination::time::to_iso(START_MS + after), "workspace_id": format!("repo_{folder}"),
            "terminal_session_id": terminal, "payload": payload});
        let defaults = Defaults { workspace_id: "repo", terminal_session_id: "t", locale: "ko-KR", arrived_at: START_MS };
        read_item_with(&item, &defaults, Capture::Full).unwrap()
    });
    let changed = ledger.take(inputs.collect());
    let mut hub = Hub::new();
    hub.apply_agent_events(&changed, ledger.agents().collect());
    hub
}
