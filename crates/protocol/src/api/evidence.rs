//! Parameters of `GET evidence`, which makes an evidence file.

use crate::ids::SessionId;

/// Parameters of `GET evidence`. A session, a begin or an end has to be given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct EvidenceQuery {
    /// Lines of this work session only.
    #[cfg_attr(feature = "openapi", param(value_type = Option<String>))]
    pub session: Option<SessionId>,
    /// Lines of events from this time on, epoch ms.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub since: Option<i64>,
    /// Lines of events up to this time, epoch ms.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub until: Option<i64>,
    /// Masks tokens, e-mail addresses, phone numbers and addresses of private hosts in the texts of the lines.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub mask: bool,
    /// Who makes the file, where no proxy names the person; at most 200 characters.
    #[cfg_attr(feature = "openapi", param(max_length = 200))]
    pub by: Option<String>,
    /// A note for its readers, at most 500 characters.
    #[cfg_attr(feature = "openapi", param(max_length = 500))]
    pub note: Option<String>,
}
