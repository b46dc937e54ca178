//! Handlers of two routes of the original 1.x monitor that this one does not offer: `/api/workspace-file`
//! (`contract/monitor-api.md` D10) and `/api/milestones` (§3). They answer 410.

use super::answer::V1Error;

/// `POST /api/workspace-file` wrote any file below the home.
pub(super) async fn workspace_file() -> V1Error {
    V1Error::removed(
        "This monitor never writes files of the workspaces. Agents change their own files through OpenClaw.",
    )
}

/// `/api/milestones` forwarded to the hub with the hub's own rights.
pub(super) async fn milestones() -> V1Error {
    V1Error::removed("This monitor does not forward to the hub. Ask the hub for milestones directly.")
}
