//! Settings of `serve`. The precedence is: command line, environment, the TOML file of `--config FILE`, defaults.

mod args;
mod cache;
mod gateway;
mod hooks;
mod network;
mod secret;
mod values;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use coordination::api::Writes;
use coordination::classify::Classifier;
use serde::Deserialize;

use crate::clock::ServerClock;
use crate::home::HomeDir;

pub use args::ServeArgs;
pub use cache::CacheSettings;
pub use gateway::Gateway;
pub use hooks::HooksConfig;
pub use network::Network;
pub(crate) use secret::PageSession;
pub use secret::{SHORTEST_TOKEN, Secret};
pub use values::{HostLink, Watcher};
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

/// The configuration file as written. [`Settings`] says what the values mean.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileConfig {
    host: Option<String>,
    port: Option<u16>,
    bundle: Option<PathBuf>,
    base_path: Option<String>,
    api_base: Option<String>,
    host_link: Option<HostLink>,
    allowed_hosts: Vec<String>,
    allowed_origins: Vec<String>,
    frame_ancestors: Vec<String>,
    write_token_file: Option<PathBuf>,
    trusted_proxies: Vec<String>,
    cors_origins: Vec<String>,
    watcher: Option<Watcher>,
    cache: Option<PathBuf>,
    classifier: Classifier,
    discord_users: BTreeMap<String, String>,
    gateway: gateway::GatewaySection,
    hooks: hooks::HooksConfigSection,
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
    /// How events of coding agents are read.
    pub hooks: HooksConfig,
    /// Reverse proxies, by address or network. Only what comes from them may say by `X-Forwarded-For` for whom it asks
    /// (the last hop that is no proxy of ours: for the limit on failures and the log) and by `X-Forwarded-Host` under
    /// which name, which must be an allowed one too. From all others such headers only take rights away.
    pub trusted_proxies: Vec<Network>,
    /// Allowed but unwise settings, one sentence each, logged at the start.
    pub cautions: Vec<String>,
    /// Whether the system's file notifications are used for the log.
    pub watcher: bool,
    /// Where and when the hub is saved, so that the next start is short; `None` when it is not.
    pub cache: Option<CacheSettings>,
    /// Which classifier decides categories without an override.
    pub classifier: Classifier,
    /// Where `now` comes from.
    pub clock: ServerClock,
    /// Answer REST 1.x only, as the original 1.x monitor does.
    pub api1_only: bool,
    /// The home is the built-in demo.
    pub demo: bool,
}

impl Settings {
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
            hooks: HooksConfig::default(),
            trusted_proxies: Vec::new(),
            cautions: Vec::new(),
            watcher: true,
            cache: None,
            classifier: Classifier::default(),
            clock: ServerClock::system(),
            api1_only: false,
            demo: false,
        }
    }

    /// Joins command line, environment and file.
    ///
    /// # Errors
    /// When the file cannot be read or a value is not acceptable.
    pub fn from_args(args: &ServeArgs) -> Result<Self, ConfigError> {
        let file = match &args.config {
            Some(path) => FileConfig::read(path)?,
            None => FileConfig::default(),
        };
        Self::join(args, file, &|name| std::env::var(name).ok())
    }

    fn join(args: &ServeArgs, file: FileConfig, env: &dyn Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        // A variable that is set but blank counts as not set.
        let env = |name: &str| env(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let env_port = match env("TASK_MONITOR_PORT").map(|text| (text.parse(), text)) {
            Some((Err(_), text)) => {
                return Err(ConfigError::Value { what: format!("TASK_MONITOR_PORT {text:?} is not a port number") });
            }
            Some((Ok(port), _)) => Some(port),
            None => None,
        };
        let mut cautions = Vec::new();
        let write_token = match env("TASK_MONITOR_WRITE_TOKEN").as_deref().and_then(Secret::new) {
            Some(token) => Some(token),
            None => file.write_token_file.as_deref().map(|path| read_token(path, &mut cautions)).transpose()?,
        };
        let settings = Self {
            home: HomeDir::resolve(args.home.as_deref()),
            host: args
                .host
                .clone()
                .or_else(|| env("TASK_MONITOR_HOST"))
                .or(file.host)
                .unwrap_or_else(|| DEFAULT_HOST.to_owned()),
            port: args.port.or(env_port).or(file.port).unwrap_or(DEFAULT_PORT),
            bundle: args.bundle.clone().or(file.bundle),
            base_path: base_path(file.base_path.as_deref().unwrap_or("/"))?,
            api_base: file.api_base.unwrap_or_else(|| "api".to_owned()),
            host_link: host_link(file.host_link)?,
            discord_users: discord_users(file.discord_users)?,
            allowed_hosts: file.allowed_hosts.iter().map(|host| host.trim().to_ascii_lowercase()).collect(),
            allowed_origins: origins(&file.allowed_origins, "allowed_origins")?,
            cors_origins: origins(&file.cors_origins, "cors_origins")?,
            frame_ancestors: origins(&file.frame_ancestors, "frame_ancestors")?,
            write_token,
            gateway: file.gateway.join(&env, &mut cautions)?,
            hooks: file.hooks.join(&env)?,
            trusted_proxies: networks(&file.trusted_proxies, "trusted_proxies")?,
            watcher: args.watcher.or(file.watcher) != Some(Watcher::Off),
            cache: CacheSettings::join(args.cache.clone(), file.cache, &env, &mut cautions)?,
            cautions,
            classifier: file.classifier,
            clock: ServerClock::from_option(args.clock),
            api1_only: args.api == Some(1),
            demo: args.demo,
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
            Some(_) => Writes::Token,
            None if self.is_loopback() => Writes::Page,
            None => Writes::Nobody,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(args: &ServeArgs, toml: &str) -> Result<Settings, ConfigError> {
        Settings::join(args, toml::from_str(toml).expect("toml"), &|_| None)
    }

    #[test]
    fn flags_override_file_and_file_overrides_defaults() {
        let file = "port = 4000\nhost = \"0.0.0.0\"\nbase_path = \"hub\"";
        let args = ServeArgs { port: Some(5000), ..ServeArgs::default() };
        let settings = join(&args, file).expect("settings");
        assert_eq!((settings.port, settings.host.as_str(), settings.base_path.as_str()), (5000, "0.0.0.0", "/hub/"));
        let settings = join(&ServeArgs::default(), "").expect("settings");
        assert_eq!((settings.port, settings.host.as_str(), settings.base_path.as_str()), (3847, "127.0.0.1", "/"));
    }

    #[test]
    fn people_are_named_by_whole_ids_only() {
        let users = |toml: &str| join(&ServeArgs::default(), toml).map(|settings| settings.discord_users);
        let named = users("[discord_users]\n\"123456789012345678\" = \" 김하늘 \"").expect("settings");
        assert_eq!(named.get("123456789012345678").map(String::as_str), Some("김하늘"));
        assert!(users("[discord_users]\n\"<@123456789012345678>\" = \"김하늘\"").is_err());
        assert!(users("[discord_users]\n\"123456789012345678\" = \" \"").is_err());
    }

    #[test]
    fn watcher_is_on_by_default() {
        let off = ServeArgs { watcher: Some(Watcher::Off), ..ServeArgs::default() };
        let on = ServeArgs { watcher: Some(Watcher::On), ..ServeArgs::default() };
        let watcher = |args: &ServeArgs, toml: &str| join(args, toml).expect("settings").watcher;
        assert!(watcher(&ServeArgs::default(), "") && watcher(&on, "watcher = \"off\""));
        assert!(!watcher(&off, "") && !watcher(&ServeArgs::default(), "watcher = \"off\""));
    }

    #[test]
    fn classifier_v2_is_default() {
        let classifier = |toml: &str| join(&ServeArgs::default(), toml).expect("settings").classifier;
        assert_eq!(classifier(""), Classifier::V2);
        assert_eq!(classifier("classifier = \"v1\""), Classifier::V1);
    }

    #[test]
    fn header_breaking_path_or_origin_is_refused() {
        for bad in [
            "base_path = \"/a b/\"",
            "base_path = \"/../x\"",
            "allowed_origins = [\"example.org\"]",
            "frame_ancestors = [\"https://a; script-src *\"]",
            "trusted_proxies = [\"nginx\"]",
            "host_link = { label = \"x\", url = \"javascript:alert(1)\" }",
        ] {
            assert!(join(&ServeArgs::default(), bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn guessable_token_is_refused_for_other_machines() {
        let with = |host: &str, token: &str| {
            let file = toml::from_str(&format!("host = {host:?}")).expect("toml");
            let env = |name: &str| (name == "TASK_MONITOR_WRITE_TOKEN").then(|| token.to_owned());
            Settings::join(&ServeArgs::default(), file, &env)
        };
        assert!(with("0.0.0.0", "short").is_err());
        assert_eq!(with("127.0.0.1", "short").expect("settings").cautions.len(), 1);
        assert_eq!(with("0.0.0.0", "0123456789abcdef").expect("settings").cautions.len(), 0);
    }

    #[test]
    fn world_readable_token_file_is_reported() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().expect("dir");
        let path = dir.path().join("the-token");
        std::fs::write(&path, "0123456789abcdef\n").expect("write");
        let cautions = |mode: u32| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("mode");
            let settings = join(&ServeArgs::default(), &format!("write_token_file = {path:?}")).expect("settings");
            assert!(settings.write_token.is_some_and(|token| token.matches(b"0123456789abcdef")));
            settings.cautions
        };
        assert_eq!(cautions(0o600), Vec::<String>::new());
        for open in [0o640, 0o604] {
            assert!(cautions(open)[0].contains("the-token"), "{open:o}");
        }
    }

    #[test]
    fn writes_need_a_token_beyond_loopback() {
        let writes = |host: &str, token: Option<&str>| {
            let mut settings = Settings::for_home(HomeDir::new("/nowhere"));
            settings.host = host.to_owned();
            settings.write_token = token.and_then(Secret::new);
            settings.writes()
        };
        for here in ["127.0.0.1", "[::1]", "localhost", "127.8.8.8", "::ffff:127.0.0.1"] {
            assert_eq!(writes(here, None), Writes::Page, "{here}");
        }
        for open in ["0.0.0.0", "::", "192.168.0.7", "hub.example", "localhost.evil.example"] {
            assert_eq!(writes(open, None), Writes::Nobody, "{open}");
            assert_eq!(writes(open, Some("0123456789abcdef")), Writes::Token, "{open}");
        }
    }

    #[test]
    fn a_bad_file_is_named_with_its_line() {
        let dir = tempfile::tempdir().expect("dir");
        let path = dir.path().join("monitor.toml");
        std::fs::write(&path, "host = \"::1\"\nprot = 1\n").expect("write");
        let error = FileConfig::read(&path).expect_err("unknown key").to_string();
        assert!(error.contains("monitor.toml") && error.contains("line 2") && error.contains("prot"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        // A secret in the wrong place does not reach the terminal or the journal.
        for wrong in ["port = \"s3cret, \\\"indeed\"", "watcher = \"s3cret\"", "cors_origins = \"s3cret\"", "s3cret\n"]
        {
            std::fs::write(&path, wrong).expect("write");
            let error = FileConfig::read(&path).expect_err("wrong").to_string();
            assert!(error.contains("line 1") && !error.contains("s3cret"), "{error}");
        }
    }
}
