//! Validation of values in the configuration file: paths, links, Discord names, origins and networks. It also reads
//! secrets from their files.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde::Deserialize;

use super::{ConfigError, Network, Secret};

/// A labelled way back to the pages of the site this one is embedded in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostLink {
    /// Words of the link.
    pub label: String,
    /// Where it leads.
    pub url: String,
}

/// A setting that is on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// The write token in a file; a file that others of this machine may read is a caution.
pub(super) fn read_token(path: &Path, cautions: &mut Vec<String>) -> Result<Secret, ConfigError> {
    let text = secret_text(path, "write_token_file", cautions)?;
    Secret::new(&text).ok_or_else(|| empty_secret(path, "write_token_file"))
}

/// Content of a secret's file, without the white space around it; the same caution.
pub(super) fn secret_text(path: &Path, field: &str, cautions: &mut Vec<String>) -> Result<String, ConfigError> {
    let cause = |cause| ConfigError::Read { path: path.to_path_buf(), cause };
    let mode = std::fs::metadata(path).map_err(cause)?.permissions().mode();
    if mode & 0o077 != 0 {
        let name = path.display();
        cautions.push(format!("{field} {name} can be read or changed by others (mode {:o}): chmod 600", mode & 0o777));
    }
    let text = std::fs::read_to_string(path).map_err(cause)?.trim().to_owned();
    if text.is_empty() { Err(empty_secret(path, field)) } else { Ok(text) }
}

fn empty_secret(path: &Path, field: &str) -> ConfigError {
    ConfigError::Value { what: format!("{field} {} is empty", path.display()) }
}

/// `hub`, `/hub` and `/hub/` all mean `/hub/`.
pub(super) fn base_path(text: &str) -> Result<String, ConfigError> {
    let inner = text.trim().trim_matches('/');
    let acceptable = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    if inner.is_empty() {
        Ok("/".to_owned())
    } else if inner.split('/').all(acceptable) {
        Ok(format!("/{inner}/"))
    } else {
        Err(ConfigError::Value { what: format!("base_path {text:?} must be a plain path such as /hub/") })
    }
}

/// A web address, or a path of the host: the page makes a link of it.
pub(super) fn host_link(link: Option<HostLink>) -> Result<Option<HostLink>, ConfigError> {
    match link {
        Some(HostLink { url, .. }) if !["/", "http://", "https://"].iter().any(|start| url.starts_with(start)) => {
            Err(ConfigError::Value { what: format!("host_link: {url:?} must be a web address or a path such as /") })
        }
        link => Ok(link),
    }
}

/// Ids are Discord's snowflakes, 15 to 20 digits; a name is one line that says something.
pub(super) fn discord_users(users: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, ConfigError> {
    let named = |(id, name): (String, String)| {
        let name = name.trim().to_owned();
        let is_id = (15..=20).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit());
        let is_name = !name.is_empty() && name.chars().count() <= 80 && !name.chars().any(char::is_control);
        if is_id && is_name {
            Ok((id, name))
        } else {
            let what =
                format!("discord_users: {id:?} = {name:?} must be an id of 15 to 20 digits and a name on one line");
            Err(ConfigError::Value { what })
        }
    };
    users.into_iter().map(named).collect()
}

/// Origins are `scheme://host[:port]`: anything else would end up inside a response header.
pub(super) fn origins(list: &[String], field: &str) -> Result<Vec<String>, ConfigError> {
    list.iter()
        .map(|text| {
            let text = text.trim().trim_end_matches('/');
            let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
            match host {
                Some(host) if !host.is_empty() && host.bytes().all(plain) => Ok(text.to_ascii_lowercase()),
                _ => Err(ConfigError::Value {
                    what: format!("{field}: {text:?} is not an origin such as https://example.org"),
                }),
            }
        })
        .collect()
}

/// Addresses and networks.
pub(super) fn networks(list: &[String], field: &str) -> Result<Vec<Network>, ConfigError> {
    let parsed = |text: &String| text.parse().map_err(|what| ConfigError::Value { what: format!("{field}: {what}") });
    list.iter().map(parsed).collect()
}

/// The fault of a file, on one line and without the values it names: one of them may be a secret in the wrong place.
/// Names of fields stay.
pub(super) fn without_values(message: &str) -> String {
    let message = message.replace('\n', " ");
    let (first, last) = match message.find("unknown variant `") {
        Some(at) => (at + "unknown variant `".len(), message[at..].find("`, ").map(|end| at + end)),
        None => match message.find('"') {
            Some(at) => (at + 1, message.rfind('"')),
            None => return message,
        },
    };
    match last {
        Some(last) if first <= last => format!("{}…{}", &message[..first], &message[last..]),
        _ => message[..first].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{ServeArgs, Settings};

    #[test]
    fn token_files_resolve_relative_to_settings() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().expect("dir");
        let (config, token) = (dir.path().join("monitor.toml"), dir.path().join("token"));
        std::fs::write(&config, "write_token_file = \"token\"\n").expect("settings");
        let args = ServeArgs { config: Some(config), ..ServeArgs::default() };
        let error = Settings::from_args(&args).expect_err("there is none").to_string();
        assert!(error.contains(&*token.to_string_lossy()), "{error}");
        std::fs::write(&token, "0123456789abcdef\n").expect("token");
        std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).expect("mode");
        let settings = Settings::from_args(&args).expect("settings");
        assert!(settings.write_token.is_some_and(|token| token.matches(b"0123456789abcdef")));
    }
}
