//! Type of `GET /api/v2/names`: display names of Discord users, as configured by the operator.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Names an operator gave (`discord_users` of the configuration file).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Names {
    /// Display names by Discord user id, as mentions contain it (`contract/events.md` §7.5).
    pub discord_users: BTreeMap<String, String>,
}
