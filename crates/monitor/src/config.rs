//! Settings of `serve`. The precedence is: command line, environment, configuration file, defaults. [`table`] lists all of
//! them, [`layers`] merges them, and [`Settings`] says what they mean.

mod alerts;
mod args;
mod cache;
mod fleet;
mod gateway;
mod hooks;
mod identity;
pub mod layers;
mod log;
mod network;
mod secret;
pub mod table;
mod values;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use coordination::api::{HooksSetup, Writes};
use coordination::classify::Classifier;
use coordination::schema::AgentProgram;
use serde::Deserialize;

use crate::clock::ServerClock;
use crate::home::HomeDir;

use layers::Layers;

pub use alerts::{
    AlertLanguage, AlertSettings, AlertSink, AlertSinkKind, MailCommand, PushSettings, SinkText, WebhookTarget,
};
pub use args::ServeArgs;
pub use cache::CacheSettings;
pub use fleet::{FleetSettings, FleetText};
pub use gateway::Gateway;
pub use hooks::HooksConfig;
pub use identity::{IdentitySettings, Members};
pub use log::{LogFormat, LogSettings};
pub use network::Network;
pub(crate) use secret::PageSession;
pub use secret::{SHORTEST_TOKEN, Secret};
pub use values::{HostLink, Switch};
use values::{base_path, discord_users, host_link, networks, origins, read_token};

/// Port of the original 1.x monitor (`contract/monitor-api.md` §1).
pub const DEFAULT_PORT: u16 = 3847;
/// Loopback by default.
pub const DEFAULT_HOST: &str = "127.0.0.1";

/// Why the settings cannot be used; each is one sentence for stderr.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {path}: {cause}")]
    Read {
        /// Path of the configuration file.
        path: PathBuf,
        /// The error of the system.
        cause: std::io::Error,
    },
    /// The file is not TOML of the right shape.
    #[error("the configuration file {path} is not usable: {cause}")]
    Parse {
        /// Path of the configuration file.
        path: PathBuf,
        /// Where and why, on one line.
        cause: String,
    },
    /// A value is not acceptable.
    #[error("{what}")]
    Value {
        /// The setting, and why its value is refused.
        what: String,
    },
}

/// The configuration file as written, or all layers merged. [`Settings`] says what the values mean.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileConfig {
    home: Option<PathBuf>,
    host: Option<String>,
    port: Option<u16>,
    bundle: Option<PathBuf>,
    base_path: Option<String>,
    api_base: Option<String>,
    public_url: Option<String>,
    host_link: Option<HostLink>,
    allowed_hosts: Vec<String>,
    allowed_origins: Vec<String>,
    frame_ancestors: Vec<String>,
    write_token_file: Option<PathBuf>,
    trusted_proxies: Vec<String>,
    cors_origins: Vec<String>,
    watcher: Option<Switch>,
    cache: Option<PathBuf>,
    classifier: Classifier,
    discord_users: BTreeMap<String, String>,
    gateway: gateway::GatewaySection,
    hooks: hooks::HooksConfigSection,
    alerts: alerts::AlertsSection,
    identity: identity::IdentitySection,
    rights: identity::RightsSection,
    answers: AnswersSection,
    log: log::LogSection,
    fleet: fleet::FleetSection,
}

/// `[answers]` of the configuration file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AnswersSection {
    confirm: Vec<String>,
}

/// Everything `serve` needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The OpenClaw home.
    pub home: HomeDir,
    /// Address to listen on.
    pub host: String,
    /// Port to listen on; 0 lets the system choose.
    pub port: u16,
    /// Folder of the built dashboard.
    pub bundle: Option<PathBuf>,
    /// Sub-path the whole app is reached under, `/` or `/x/`.
    pub base_path: String,
    /// Where the page finds the API, relative to its base unless absolute.
    pub api_base: String,
    /// Way back to the embedding site.
    pub host_link: Option<HostLink>,
    /// Names of people by their Discord ids, for mentions.
    pub discord_users: BTreeMap<String, String>,
    /// Host names answered besides loopback and the bound one.
    pub allowed_hosts: Vec<String>,
    /// Origins that may write and open live streams besides our own.
    pub allowed_origins: Vec<String>,
    /// Origins that get `Access-Control-Allow-Origin`; none by default.
    pub cors_origins: Vec<String>,
    /// `frame-ancestors` of the policy; empty means nobody.
    pub frame_ancestors: Vec<String>,
    /// Secret that allows writing, from `TASK_MONITOR_WRITE_TOKEN` or `write_token_file`; never from the command line,
    /// which every process of the machine can read.
    pub write_token: Option<Secret>,
    /// The gateway for messages to agents; without one, no messages can be sent.
    pub gateway: Option<Gateway>,
    /// Alerts that are sent to sinks; none without sinks.
    pub alerts: AlertSettings,
    /// How events of coding agents are read.
    pub hooks: HooksConfig,
    /// Words in the use of a tool that take a second press to allow, besides the built-in rules.
    pub confirm_words: Vec<String>,
    /// Reverse proxies, by address or network. Only what comes from them may say by `X-Forwarded-For` for whom it asks
    /// (the last hop that is no proxy of ours: for the limit on failures and the log) and by `X-Forwarded-Host` under
    /// which name, which must be an allowed one too. From all others such headers only take rights away.
    pub trusted_proxies: Vec<Network>,
    /// How a trusted proxy names people, and what each may do; `None` when people are not named.
    pub identity: Option<IdentitySettings>,
    /// Allowed but unwise settings, one sentence each, logged at the start.
    pub cautions: Vec<String>,
    /// Whether the system's file notifications are used for the log.
    pub watcher: bool,
    /// Where and when the hub is saved, so that the next start is short; `None` when it is not.
    pub cache: Option<CacheSettings>,
    /// Which classifier decides categories without an override.
    pub classifier: Classifier,
    /// The program's own log.
    pub log: LogSettings,
    /// The fleet that this process takes part in.
    pub fleet: Option<FleetSettings>,
    /// Nobody writes here: a process that shows a fleet has no home of its own.
    pub is_read_only: bool,
    /// Where `now` comes from.
    pub clock: ServerClock,
    /// Answer REST 1.x only, as the original 1.x monitor does.
    pub api1_only: bool,
    /// The home is the built-in demo.
    pub demo: bool,
    /// Claude Code on this machine, for a page that has nothing to show yet.
    pub claude_code: HooksSetup,
    /// The same of Codex.
    pub codex: HooksSetup,
}

impl Settings {
    /// The command that lets a program send its events to this monitor, with its home and port unless they are the usual
    /// ones.
    #[must_use]
    pub fn hooks_command(&self, program: AgentProgram) -> String {
        let mut command = "task-monitor hooks install".to_owned();
        command.push_str(program.hooks_option());
        if self.home.root() != HomeDir::resolve(None).root() {
            command.push_str(&format!(" --home '{}'", self.home.root().display()));
        }
        if self.port != DEFAULT_PORT {
            command.push_str(&format!(" --monitor http://127.0.0.1:{}", self.port));
        }
        command
    }

    /// Settings for a home with everything else at its default: what tests and tools start from.
    #[must_use]
    pub fn for_home(home: HomeDir) -> Self {
        Self {
            home,
            host: DEFAULT_HOST.to_owned(),
            port: DEFAULT_PORT,
            bundle: None,
            base_path: "/".to_owned(),
            api_base: "api".to_owned(),
            host_link: None,
            discord_users: BTreeMap::new(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            cors_origins: Vec::new(),
            frame_ancestors: Vec::new(),
            write_token: None,
            gateway: None,
            alerts: AlertSettings::default(),
            hooks: HooksConfig::default(),
            confirm_words: Vec::new(),
            trusted_proxies: Vec::new(),
            identity: None,
            cautions: Vec::new(),
            watcher: true,
            cache: None,
            classifier: Classifier::default(),
            log: LogSettings::default(),
            fleet: None,
            is_read_only: false,
            clock: ServerClock::system(),
            api1_only: false,
            demo: false,
            claude_code: HooksSetup::Absent,
            codex: HooksSetup::Absent,
        }
    }

    /// Joins command line, environment and file.
    ///
    /// # Errors
    /// When the file cannot be read or a value is not acceptable.
    pub fn from_args(args: &ServeArgs) -> Result<Self, ConfigError> {
        let env = layers::environment();
        Self::from_layers(&Layers::read(args, &env)?, args, &env)
    }

    /// The meaning of merged layers. Secrets come from the environment itself.
    ///
    /// # Errors
    /// When a value is not acceptable.
    pub fn from_layers(
        layers: &Layers,
        args: &ServeArgs,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let file = layers.config()?;
        let mut cautions = Vec::new();
        let write_token = match env("TASK_MONITOR_WRITE_TOKEN").as_deref().and_then(Secret::new) {
            Some(token) => Some(token),
            None => file.write_token_file.as_deref().map(|path| read_token(path, &mut cautions)).transpose()?,
        };
        let settings = Self {
            home: HomeDir::resolve(file.home.as_deref()),
            host: file.host.unwrap_or_else(|| DEFAULT_HOST.to_owned()),
            port: file.port.unwrap_or(DEFAULT_PORT),
            bundle: file.bundle,
            base_path: base_path(file.base_path.as_deref().unwrap_or("/"))?,
            api_base: file.api_base.unwrap_or_else(|| "api".to_owned()),
            host_link: host_link(file.host_link)?,
            discord_users: discord_users(file.discord_users)?,
            allowed_hosts: file.allowed_hosts.iter().map(|host| host.trim().to_ascii_lowercase()).collect(),
            allowed_origins: origins(&file.allowed_origins, "allowed_origins")?,
            cors_origins: origins(&file.cors_origins, "cors_origins")?,
            frame_ancestors: origins(&file.frame_ancestors, "frame_ancestors")?,
            write_token,
            gateway: file.gateway.join(env, &mut cautions)?,
            alerts: file.alerts.checked(file.public_url.as_deref(), &mut cautions)?,
            hooks: file.hooks.checked()?,
            confirm_words: file.answers.confirm,
            identity: file.identity.checked(file.rights, !file.trusted_proxies.is_empty())?,
            trusted_proxies: networks(&file.trusted_proxies, "trusted_proxies")?,
            watcher: file.watcher != Some(Switch::Off),
            cache: CacheSettings::from_setting(file.cache, env, &mut cautions)?,
            classifier: file.classifier,
            log: file.log.checked(layers.source("log.level"), &mut cautions)?,
            fleet: file.fleet.checked(env, host_name)?,
            is_read_only: false,
            clock: ServerClock::from_option(args.clock),
            api1_only: args.api == Some(1),
            demo: args.demo,
            claude_code: HooksSetup::Absent,
            codex: HooksSetup::Absent,
            cautions,
        };
        settings.checked()
    }

    /// A token that can be guessed does not protect what other machines reach.
    fn checked(mut self) -> Result<Self, ConfigError> {
        if self.write_token.as_ref().is_some_and(Secret::is_short) {
            let what = format!("the write token is shorter than {SHORTEST_TOKEN} bytes and can be guessed");
            if !self.is_loopback() {
                let what = format!("{what}: a longer one is needed to listen on {}", self.host);
                return Err(ConfigError::Value { what });
            }
            self.cautions.push(what);
        }
        Ok(self)
    }

    /// Whether only this machine reaches the address listened on. A name other than localhost may mean any address.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case("localhost")
            || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
    }

    /// Who may write.
    #[must_use]
    pub fn writes(&self) -> Writes {
        match &self.write_token {
            _ if self.is_read_only => Writes::Nobody,
            Some(_) => Writes::Token,
            None if self.is_loopback() => Writes::Page,
            None => Writes::Nobody,
        }
    }
}

/// Name of this machine.
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
