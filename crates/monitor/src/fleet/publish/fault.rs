//! Type `PublishFault`: why publishing stopped.

/// Why publishing stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublishFault {
    /// Somebody else publishes as this source.
    #[error(
        "another process publishes as this source. A copied machine needs an id of its own: remove task-hub-fleet.json from \
         its home"
    )]
    Conflict,
    /// The machine was removed from the fleet while this process published.
    #[error(
        "this machine was removed from the fleet (`task-monitor fleet forget`). A new start adds it again, from the beginning \
         of its logs"
    )]
    Removed,
    /// The servers or the files cannot be reached now.
    #[error(transparent)]
    Unavailable(#[from] anyhow::Error),
}
