//! Settings of a fleet, section `[fleet]`: its name, the NATS servers, what leaves this machine, and whether this process
//! publishes a home or shows all machines.

use std::path::PathBuf;

use axum::http::Uri;
use serde::Deserialize;

use super::{CacheSettings, ConfigError, Switch};

/// Longest name of a fleet or machine.
const MAX_NAME: usize = 40;
/// Largest file with credentials.
const MAX_CREDENTIALS_BYTES: u64 = 64 * 1024;

/// `[fleet]` of the configuration file. [`FleetSettings`] says what the values mean.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FleetSection {
    name: Option<String>,
    nats: Vec<String>,
    pub(super) creds_file: Option<PathBuf>,
    pub(super) ca_file: Option<PathBuf>,
    machine: Option<String>,
    text: FleetText,
    ship: Option<Switch>,
    writes: Option<Switch>,
    reads: Option<Switch>,
    mirror: Option<PathBuf>,
}

/// How much of the texts of a home leaves its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FleetText {
    /// Lines as they are.
    #[default]
    Full,
    /// The first words of each text, with secrets masked.
    Summary,
    /// No text: who, when, what kind.
    None,
}

impl FleetText {
    /// The word in settings and messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Summary => "summary",
            Self::None => "none",
        }
    }
}

/// A fleet that this process takes part in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetSettings {
    /// Name of the fleet.
    pub name: String,
    /// Addresses of the NATS servers; one that answers is enough.
    pub servers: Vec<String>,
    /// File of NATS credentials, or of `user:password`.
    pub creds_file: Option<PathBuf>,
    /// Certificates of the authority that signed those of the servers; the connection must be TLS then.
    pub ca_file: Option<PathBuf>,
    /// Name of this machine.
    pub machine: String,
    /// What leaves this machine.
    pub text: FleetText,
    /// `serve` publishes its own home instead of showing the fleet.
    pub ship: bool,
    /// `serve` carries out what somebody changes on a page of the fleet.
    pub writes: bool,
    /// `serve` answers reads of the fleet from files that are not published.
    pub reads: bool,
    /// Folder of the mirrored homes.
    pub mirror: Option<PathBuf>,
}

impl FleetSection {
    /// The meaning of the values; `None` without a fleet.
    pub(super) fn checked(
        self,
        env: &dyn Fn(&str) -> Option<String>,
        machine: impl FnOnce() -> String,
    ) -> Result<Option<FleetSettings>, ConfigError> {
        let wrong = |what: String| ConfigError::Value { what };
        let Some(name) = self.name else {
            return match self.ship {
                Some(Switch::On) => Err(wrong("fleet.ship needs fleet.name".to_owned())),
                _ => Ok(None),
            };
        };
        let is_name = |name: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            !name.is_empty() && name.len() <= MAX_NAME && name.bytes().all(plain)
        };
        if !is_name(&name) {
            return Err(wrong(format!("fleet.name {name:?} must be 1 to {MAX_NAME} letters, digits, - or _")));
        }
        if self.nats.is_empty() {
            return Err(wrong("fleet.nats must name a server, such as nats://127.0.0.1:4222".to_owned()));
        }
        for server in &self.nats {
            check_server(server).map_err(wrong)?;
        }
        let machine = match self.machine {
            Some(machine) if is_name(&machine) => machine,
            Some(machine) => {
                return Err(wrong(format!(
                    "fleet.machine {machine:?} must be 1 to {MAX_NAME} letters, digits, - or _"
                )));
            }
            None => machine_name(&machine()),
        };
        let reads = self.reads == Some(Switch::On);
        if reads && self.text != FleetText::Full {
            let text = self.text.as_str();
            return Err(wrong(format!(
                "fleet.reads = \"on\" needs fleet.text = \"full\", and it is {text:?}: answers hold texts as they are"
            )));
        }
        let mirror = self.mirror.or_else(|| Some(CacheSettings::user_folder(env)?.join("fleet").join(&name)));
        Ok(Some(FleetSettings {
            name,
            servers: self.nats,
            creds_file: self.creds_file,
            ca_file: self.ca_file,
            machine,
            text: self.text,
            ship: self.ship == Some(Switch::On),
            writes: self.writes == Some(Switch::On),
            reads,
            mirror,
        }))
    }
}

impl FleetSettings {
    /// The servers for people.
    #[must_use]
    pub fn shown_servers(&self) -> String {
        self.servers.join(", ")
    }

    /// Whether all servers are on this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.servers.iter().all(|server| {
            let host = server.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned)).unwrap_or_default();
            let host = host.trim_start_matches('[').trim_end_matches(']');
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        })
    }

    /// Content of [`Self::creds_file`].
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn credentials(&self) -> std::io::Result<Option<String>> {
        let Some(file) = &self.creds_file else { return Ok(None) };
        if std::fs::metadata(file)?.len() > MAX_CREDENTIALS_BYTES {
            return Err(std::io::Error::other("it is too large for credentials"));
        }
        Ok(Some(std::fs::read_to_string(file)?.trim().to_owned()))
    }
}

/// An address without a secret: every user of the machine can read the flags of a process.
fn check_server(server: &str) -> Result<(), String> {
    let uri: Option<Uri> = server.parse().ok();
    let Some(uri) = uri.filter(|uri| matches!(uri.scheme_str(), Some("nats" | "tls"))) else {
        return Err("fleet.nats must begin with nats:// or tls://".to_owned());
    };
    if uri.authority().is_none_or(|authority| authority.as_str().contains('@') || uri.host() == Some("")) {
        return Err(
            "fleet.nats must name a host, without user and password: they belong in fleet.creds_file".to_owned()
        );
    }
    Ok(())
}

/// A host name as a part of addresses.
fn machine_name(host: &str) -> String {
    let first = host.trim().split('.').next().unwrap_or_default().to_lowercase();
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
    let name: String = first.chars().map(plain).take(MAX_NAME).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "machine".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(section: FleetSection) -> Result<Option<FleetSettings>, String> {
        section.checked(&|_| None, || "Seum-Mac.local".to_owned()).map_err(|error| error.to_string())
    }

    fn section(name: &str, server: &str) -> FleetSection {
        FleetSection { name: Some(name.to_owned()), nats: vec![server.to_owned()], ..FleetSection::default() }
    }

    #[test]
    fn fleet_has_name_servers_and_a_machine() {
        assert_eq!(checked(FleetSection::default()), Ok(None));
        let fleet = checked(section("studio", "nats://10.0.0.1:4222")).expect("settings").expect("a fleet");
        assert!(!fleet.is_loopback());
        for here in ["nats://127.0.0.1:4222", "tls://localhost", "nats://[::1]:4222"] {
            assert!(checked(section("studio", here)).expect("settings").expect("a fleet").is_loopback(), "{here}");
        }
        assert_eq!((fleet.machine.as_str(), fleet.text, fleet.ship), ("seum-mac", FleetText::Full, false));
        for (name, server, what) in [
            ("a.b", "nats://x", "fleet.name"),
            ("", "nats://x", "fleet.name"),
            ("studio", "http://x", "nats://"),
            ("studio", "x:4222", "nats://"),
            ("studio", "nats://user:secret@x", "fleet.creds_file"),
        ] {
            let refused = checked(section(name, server)).expect_err(name);
            assert!(refused.contains(what) && !refused.contains("secret"), "{refused}");
        }
        let nowhere = FleetSection { nats: Vec::new(), ..section("studio", "") };
        assert!(checked(nowhere).expect_err("no server").contains("fleet.nats"));
        let shipped = FleetSection { ship: Some(Switch::On), ..FleetSection::default() };
        assert!(checked(shipped).expect_err("no fleet").contains("fleet.name"));
    }

    #[test]
    fn reads_need_full_texts() {
        let reads = |text| FleetSection { reads: Some(Switch::On), text, ..section("studio", "nats://x") };
        assert!(checked(reads(FleetText::Full)).expect("settings").expect("a fleet").reads);
        assert!(!checked(section("studio", "nats://x")).expect("settings").expect("a fleet").reads, "off by default");
        for text in [FleetText::Summary, FleetText::None] {
            let refused = checked(reads(text)).expect_err("less text");
            assert!(refused.contains("fleet.reads") && refused.contains("fleet.text"), "{refused}");
        }
    }

    #[test]
    fn machine_names_are_parts_of_addresses() {
        for (host, name) in [("Seum.local", "seum"), ("이든의 맥", "machine"), ("a b", "a-b"), ("", "machine")] {
            assert_eq!(machine_name(host), name);
        }
    }
}
