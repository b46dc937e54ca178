//! Settings of signed-in people and their rights, sections `[identity]` and `[rights]`. A trusted proxy signs people in and
//! names them in a header.

use axum::http::HeaderName;
use serde::Deserialize;

use super::ConfigError;

/// Mark of a group in a list of rights.
const GROUP: char = '@';

/// `[identity]` of the configuration file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct IdentitySection {
    header: Option<String>,
    groups_header: Option<String>,
}

/// `[rights]` of the configuration file: users and `@groups`; everybody where a list is absent.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RightsSection {
    view: Option<Vec<String>>,
    categorize: Option<Vec<String>>,
    speak: Option<Vec<String>>,
    answer: Option<Vec<String>>,
}

/// How people are named, and what each may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentitySettings {
    /// Header with the user's name. Read only from trusted proxies.
    pub header: HeaderName,
    /// Header with the user's groups, separated by commas.
    pub groups_header: Option<HeaderName>,
    /// Who may see the dashboard.
    pub view: Members,
    /// Who may change categories, classifier words, notes, views for everybody and rules of alerts.
    pub categorize: Members,
    /// Who may send messages to agents.
    pub speak: Members,
    /// Who may answer permission requests of agents.
    pub answer: Members,
}

/// Users and groups that have a right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Members {
    /// All that the proxy signs in.
    #[default]
    Everybody,
    /// These users, and the members of these groups (marked with `@`).
    Listed(Vec<String>),
}

impl Members {
    fn new(list: Option<Vec<String>>, key: &str) -> Result<Self, ConfigError> {
        let Some(list) = list else { return Ok(Self::Everybody) };
        let names: Vec<String> = list.iter().map(|name| name.trim().to_owned()).collect();
        match names.iter().find(|name| name.trim_start_matches(GROUP).is_empty()) {
            Some(_) => Err(ConfigError::Value { what: format!("{key}: a name is empty") }),
            None => Ok(Self::Listed(names)),
        }
    }

    /// Whether a user, or one of the groups, is listed.
    #[must_use]
    pub fn contains(&self, user: &str, groups: &[String]) -> bool {
        match self {
            Self::Everybody => true,
            Self::Listed(names) => names.iter().any(|name| match name.strip_prefix(GROUP) {
                Some(group) => groups.iter().any(|known| known == group),
                None => name == user,
            }),
        }
    }
}

impl IdentitySection {
    /// The meaning of both sections; `None` when people are not named.
    pub(super) fn checked(
        &self,
        rights: RightsSection,
        has_proxies: bool,
    ) -> Result<Option<IdentitySettings>, ConfigError> {
        let wrong = |what: &str| ConfigError::Value { what: what.to_owned() };
        let named = |name: &str, key: &str| {
            let header = name.trim().to_ascii_lowercase().parse::<HeaderName>();
            header.map_err(|_| ConfigError::Value { what: format!("{key} {name:?} is not the name of a header") })
        };
        let Some(header) = &self.header else {
            if self.groups_header.is_some()
                || rights.view.is_some()
                || rights.categorize.is_some()
                || rights.speak.is_some()
                || rights.answer.is_some()
            {
                return Err(wrong("rights need identity.header, which names the header with the user's name"));
            }
            return Ok(None);
        };
        if !has_proxies {
            return Err(wrong("identity.header is believed only from trusted_proxies, and none is listed"));
        }
        let groups = self.groups_header.as_deref();
        Ok(Some(IdentitySettings {
            header: named(header, "identity.header")?,
            groups_header: groups.map(|name| named(name, "identity.groups_header")).transpose()?,
            view: Members::new(rights.view, "rights.view")?,
            categorize: Members::new(rights.categorize, "rights.categorize")?,
            speak: Members::new(rights.speak, "rights.speak")?,
            answer: Members::new(rights.answer, "rights.answer")?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_users_and_groups() {
        let members = Members::new(Some(vec!["eden".to_owned(), "@ops".to_owned()]), "rights.speak").expect("a list");
        let groups = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(members.contains("eden", &[]) && members.contains("seum", &groups(&["ops"])));
        assert!(!members.contains("seum", &groups(&["eden"])) && !members.contains("@ops", &[]));
        assert!(!members.contains("ops", &[]) && Members::Everybody.contains("seum", &[]));
        assert!(!Members::Listed(Vec::new()).contains("eden", &groups(&["ops"])), "an empty list is nobody");
    }

    #[test]
    fn rights_without_identity_or_proxy_are_refused() {
        let rights = || RightsSection { speak: Some(vec!["eden".to_owned()]), ..RightsSection::default() };
        let named = |header: &str| IdentitySection { header: Some(header.to_owned()), groups_header: None };
        assert!(IdentitySection::default().checked(rights(), true).is_err());
        assert!(named("X-Forwarded-User").checked(rights(), false).is_err());
        assert!(named("X Forwarded").checked(rights(), true).is_err());
        let settings = named("X-Forwarded-User").checked(rights(), true).expect("settings").expect("on");
        assert_eq!((settings.header.as_str(), settings.view), ("x-forwarded-user", Members::Everybody));
    }
}
