//! Settings of `serve`: command line over environment over `--config FILE` (TOML) over defaults.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use coordination::classify::Classifier;
use serde::Deserialize;

use crate::cli::ServeArgs;
use crate::clock::Clock;
use crate::home::Home;

/// Port of the existing monitor (`contract/monitor-api.md` §1).
pub const DEFAULT_PORT: u16 = 3847;
/// Loopback unless told otherwise (design §3.11).
pub const DEFAULT_HOST: &str = "127.0.0.1";

/// Why the settings cannot be used; each is one sentence for stderr.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {path}: {cause}")]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The file is not TOML of the right shape.
    #[error("the configuration file {path} is not usable: {cause}")]
    Parse {
        /// Which file.
        path: PathBuf,
        /// Where and why, on one line.
        cause: String,
    },
    /// A value is not acceptable.
    #[error("{what}")]
    Value {
        /// What and why.
        what: String,
    },
}

/// The configuration file as written.
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
    cors_origins: Vec<String>,
    watcher: Option<Watcher>,
    classifier: Classifier,
    discord_users: BTreeMap<String, String>,
}

/// Whether the system is asked to tell when the log changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Watcher {
    /// Yes; a look every second finds what it misses.
    On,
    /// No: a look every second is all there is, for file systems that tell nothing.
    Off,
}

/// A labelled way back to the pages of the site this one is embedded in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostLink {
    /// Words of the link.
    pub label: String,
    /// Where it leads.
    pub url: String,
}

/// Everything `serve` needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The OpenClaw home.
    pub home: Home,
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
    /// What people are called whose Discord ids stand in mentions.
    pub discord_users: BTreeMap<String, String>,
    /// Host names answered besides loopback and the bound one.
    pub allowed_hosts: Vec<String>,
    /// Origins that may write and open live streams besides our own.
    pub allowed_origins: Vec<String>,
    /// Origins that get `Access-Control-Allow-Origin`; none by default (design §3.11).
    pub cors_origins: Vec<String>,
    /// `frame-ancestors` of the policy; empty means nobody.
    pub frame_ancestors: Vec<String>,
    /// Secret that allows writing.
    pub write_token: Option<Secret>,
    /// Whether the system is asked to tell when the log changes.
    pub watcher: bool,
    /// Who decides categories where nobody stated one.
    pub classifier: Classifier,
    /// Where `now` comes from.
    pub clock: Clock,
    /// Answer REST 1.x only, as the existing monitor does.
    pub api1_only: bool,
    /// The home is the built-in demo.
    pub demo: bool,
}

/// A secret that never shows itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Blank text is no secret.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The secret itself, for comparing only.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Settings {
    /// Settings for a home with everything else at its default: what tests and tools start from.
    #[must_use]
    pub fn for_home(home: Home) -> Self {
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
            watcher: true,
            classifier: Classifier::default(),
            clock: Clock::system(),
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
        let write_token = match env("TASK_MONITOR_WRITE_TOKEN").as_deref().and_then(Secret::new) {
            Some(token) => Some(token),
            None => file.write_token_file.as_deref().map(read_token).transpose()?,
        };
        Ok(Self {
            home: Home::resolve(args.home.as_deref()),
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
            host_link: file.host_link,
            discord_users: discord_users(file.discord_users)?,
            allowed_hosts: file.allowed_hosts.iter().map(|host| host.trim().to_ascii_lowercase()).collect(),
            allowed_origins: origins(&file.allowed_origins, "allowed_origins")?,
            cors_origins: origins(&file.cors_origins, "cors_origins")?,
            frame_ancestors: origins(&file.frame_ancestors, "frame_ancestors")?,
            write_token,
            watcher: args.watcher.or(file.watcher) != Some(Watcher::Off),
            classifier: file.classifier,
            clock: Clock::from_option(args.clock),
            api1_only: args.api == Some(1),
            demo: args.demo,
        })
    }
}

impl FileConfig {
    fn read(path: &Path) -> Result<Self, ConfigError> {
        let text =
            std::fs::read_to_string(path).map_err(|cause| ConfigError::Read { path: path.to_path_buf(), cause })?;
        toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            ConfigError::Parse {
                path: path.to_path_buf(),
                cause: format!("line {line}: {}", error.message().replace('\n', " ")),
            }
        })
    }
}

fn read_token(path: &Path) -> Result<Secret, ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|cause| ConfigError::Read { path: path.to_path_buf(), cause })?;
    Secret::new(&text)
        .ok_or_else(|| ConfigError::Value { what: format!("write_token_file {} is empty", path.display()) })
}

/// `hub`, `/hub` and `/hub/` all mean `/hub/`.
fn base_path(text: &str) -> Result<String, ConfigError> {
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

/// Ids are Discord's snowflakes, 15 to 20 digits; a name is one line that says something.
fn discord_users(users: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, ConfigError> {
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
fn origins(list: &[String], field: &str) -> Result<Vec<String>, ConfigError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn join(args: &ServeArgs, toml: &str) -> Result<Settings, ConfigError> {
        Settings::join(args, toml::from_str(toml).expect("toml"), &|_| None)
    }

    #[test]
    fn the_command_line_wins_over_the_file_and_the_file_over_the_default() {
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
    fn the_watcher_is_on_unless_told_otherwise() {
        let off = ServeArgs { watcher: Some(Watcher::Off), ..ServeArgs::default() };
        let on = ServeArgs { watcher: Some(Watcher::On), ..ServeArgs::default() };
        let watcher = |args: &ServeArgs, toml: &str| join(args, toml).expect("settings").watcher;
        assert!(watcher(&ServeArgs::default(), "") && watcher(&on, "watcher = \"off\""));
        assert!(!watcher(&off, "") && !watcher(&ServeArgs::default(), "watcher = \"off\""));
    }

    #[test]
    fn the_classifier_is_the_second_unless_told_otherwise() {
        let classifier = |toml: &str| join(&ServeArgs::default(), toml).expect("settings").classifier;
        assert_eq!(classifier(""), Classifier::V2);
        assert_eq!(classifier("classifier = \"v1\""), Classifier::V1);
    }

    #[test]
    fn a_path_or_origin_that_could_leave_its_header_is_refused() {
        for bad in [
            "base_path = \"/a b/\"",
            "base_path = \"/../x\"",
            "allowed_origins = [\"example.org\"]",
            "frame_ancestors = [\"https://a; script-src *\"]",
        ] {
            assert!(join(&ServeArgs::default(), bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_secret_does_not_show_itself() {
        let secret = Secret::new("  s3cret ").expect("secret");
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert_eq!(secret.expose(), "s3cret");
        assert!(Secret::new("   ").is_none());
    }

    #[test]
    fn a_bad_file_is_named_with_its_line() {
        let dir = tempfile::tempdir().expect("dir");
        let path = dir.path().join("monitor.toml");
        std::fs::write(&path, "host = \"::1\"\nprot = 1\n").expect("write");
        let error = FileConfig::read(&path).expect_err("unknown key").to_string();
        assert!(error.contains("monitor.toml") && error.contains("line 2") && error.contains("prot"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
