//! Settings of a hook process: destination of its events and capture level. The precedence is the one of `serve`:
//! flags, environment, the monitor's TOML file, defaults.
//!
//! Only the needed settings are read, because every event starts a process.

use std::path::{Path, PathBuf};

use coordination::schema::hook::Capture;
use serde::Deserialize;

use super::send::MonitorClient;
use crate::config::layers::config_file;
use crate::config::{DEFAULT_HOST, DEFAULT_PORT};
use crate::home::HomeDir;

/// Most bytes of the settings, and of a token.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

/// Options of the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// OpenClaw's state directory.
    pub(crate) home: Option<PathBuf>,
    /// The monitor's address.
    pub(crate) monitor: Option<String>,
    /// The monitor's settings.
    pub(crate) config: Option<PathBuf>,
    /// Seconds for which the hook of a permission request waits for an answer from a page; none to ask nobody.
    pub(crate) answer: Option<u32>,
}

/// Where events go.
#[derive(Debug)]
pub(crate) struct HookDestination {
    /// Its drop file takes events that the monitor does not accept.
    pub(crate) home: HomeDir,
    /// The monitor on this machine, or why none can be reached from here.
    pub(crate) monitor: Result<MonitorClient, String>,
    /// The token that the monitor requires, or why it cannot be read; `None` where none is set.
    pub(crate) token: Result<Option<Token>, String>,
    /// How much of an event is passed on.
    pub(crate) capture: Capture,
    /// Why the settings could not be read.
    pub(crate) unread: Option<String>,
}

/// The write token; it is sent to the monitor and nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    /// For the header only.
    pub(super) fn for_header(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The part of the settings that hooks need; the monitor validates the rest.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HookSettings {
    home: Option<PathBuf>,
    host: Option<String>,
    port: Option<u16>,
    write_token_file: Option<PathBuf>,
    hooks: HooksSection,
}

/// `[hooks]` of the settings.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HooksSection {
    capture: Capture,
}

impl HookDestination {
    /// Reads what there is; an unreadable part is reported and does not affect the others.
    pub(crate) fn find(flags: &Flags, env: &dyn Fn(&str) -> Option<String>) -> Self {
        let env = |name: &str| env(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let config = config_file(flags.config.as_deref(), &env);
        let (written, unread) = match config.as_deref().map(read).transpose() {
            Ok(written) => (written.unwrap_or_default(), None),
            // It may allow less than the default: nothing is passed on that it could have forbidden.
            Err(why) => {
                (HookSettings { hooks: HooksSection { capture: Capture::None }, ..HookSettings::default() }, Some(why))
            }
        };
        let capture = match env("TASK_MONITOR_HOOKS_CAPTURE").as_deref() {
            None => written.hooks.capture,
            // An unknown word may allow less.
            Some(word) => Capture::from_word(word).unwrap_or(Capture::None),
        };
        let monitor = match &flags.monitor {
            Some(url) => MonitorClient::new(url),
            None => {
                let host = env("TASK_MONITOR_HOST").or(written.host).unwrap_or_else(|| DEFAULT_HOST.to_owned());
                let port = env("TASK_MONITOR_PORT").and_then(|port| port.parse().ok());
                let port = port.or(written.port).unwrap_or(DEFAULT_PORT);
                let elsewhere =
                    || format!("a monitor that listens on {host} is not reached by this machine's own address");
                MonitorClient::listening(&host, port).ok_or_else(elsewhere)
            }
        };
        let token_file = match (env("TASK_MONITOR_WRITE_TOKEN_FILE"), written.write_token_file) {
            (Some(path), _) => Some(PathBuf::from(path)),
            (None, path) => path.map(|path| resolve_beside_config(config.as_deref(), &path)),
        };
        let token = match (env("TASK_MONITOR_WRITE_TOKEN"), token_file) {
            (Some(token), _) => Ok(Some(Token(token))),
            (None, Some(path)) => token_in(&path).map(Some),
            (None, None) => Ok(None),
        };
        // The variables of a home win over the file, as for the monitor.
        let variable = || env("OPENCLAW_STATE_DIR").or_else(|| env("CLAWDBOT_STATE_DIR")).map(PathBuf::from);
        let home = flags.home.clone().or_else(variable).or(written.home);
        Self { home: HomeDir::resolve(home.as_deref()), monitor, token, capture, unread }
    }
}

fn read(path: &Path) -> Result<HookSettings, String> {
    let text = text(path).map_err(|error| format!("cannot read the settings {}: {error}", path.display()))?;
    // The content may be a secret in the wrong place, so it is not repeated.
    toml::from_str(&text).map_err(|_| format!("the settings {} cannot be understood", path.display()))
}

/// A hook runs wherever the agent works, so a relative path counts from the settings that name it.
fn resolve_beside_config(config: Option<&Path>, path: &Path) -> PathBuf {
    config.and_then(Path::parent).map_or_else(|| path.to_path_buf(), |folder| folder.join(path))
}

fn token_in(path: &Path) -> Result<Token, String> {
    let text = text(path).map_err(|error| format!("cannot read the token in {}: {error}", path.display()))?;
    let token = text.trim();
    if token.is_empty() { Err(format!("{} holds no token", path.display())) } else { Ok(Token(token.to_owned())) }
}

fn text(path: &Path) -> std::io::Result<String> {
    // Opening a pipe would wait for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(crate::fs::sandbox::OpenDenied::NotRegular.into());
    }
    let mut text = String::new();
    std::io::Read::read_to_string(&mut std::io::Read::take(std::fs::File::open(path)?, MAX_SETTINGS_BYTES), &mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(flags: &Flags, env: &[(&str, &str)]) -> HookDestination {
        let env: Vec<(String, String)> =
            env.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        HookDestination::find(flags, &|name| env.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone()))
    }

    fn monitor(destination: &HookDestination) -> String {
        destination.monitor.as_ref().map_or_else(Clone::clone, ToString::to_string)
    }

    fn token(destination: &HookDestination) -> Option<&str> {
        destination.token.as_ref().expect("readable").as_ref().map(Token::for_header)
    }

    #[test]
    fn flags_override_environment_and_environment_overrides_settings() {
        let dir = tempfile::tempdir().expect("dir");
        let config = dir.path().join("monitor.toml");
        std::fs::write(dir.path().join("token"), "of-the-file\n").expect("token");
        let text = "port = 4000\nwrite_token_file = \"token\"\nbase_path = \"/x/\"\nnew_one = 1\n[hooks]\ncapture = \"none\"\nlocale = \"en\"\n";
        std::fs::write(&config, text).expect("config");
        let nothing = find(&Flags::default(), &[]);
        assert_eq!((monitor(&nothing).as_str(), token(&nothing)), ("http://127.0.0.1:3847/", None));
        assert_eq!(nothing.capture, Capture::Summary);
        let flags = Flags { config: Some(config), ..Flags::default() };
        let file = find(&flags, &[]);
        assert_eq!((monitor(&file).as_str(), token(&file)), ("http://127.0.0.1:4000/", Some("of-the-file")));
        assert_eq!(file.capture, Capture::None);
        let level = |word: &str| find(&flags, &[("TASK_MONITOR_HOOKS_CAPTURE", word)]).capture;
        assert_eq!([level("full"), level("summary"), level(" "), level("all")], {
            [Capture::Full, Capture::Summary, Capture::None, Capture::None]
        });
        let env = find(&flags, &[("TASK_MONITOR_PORT", "5000"), ("TASK_MONITOR_WRITE_TOKEN", " of-the-env ")]);
        assert_eq!((monitor(&env).as_str(), token(&env)), ("http://127.0.0.1:5000/", Some("of-the-env")));
        let flags = Flags { monitor: Some("http://localhost:6000".to_owned()), ..flags };
        assert_eq!(monitor(&find(&flags, &[("TASK_MONITOR_PORT", "5000")])), "http://localhost:6000/");
        assert!(!format!("{file:?}").contains("of-the-file"), "a token shows itself nowhere");
    }

    #[test]
    fn unreadable_settings_forbid_what_they_could_forbid() {
        let dir = tempfile::tempdir().expect("dir");
        let config = dir.path().join("monitor.toml");
        let flags = Flags { config: Some(config.clone()), ..Flags::default() };
        let absent = find(&flags, &[]);
        assert!(absent.unread.is_some_and(|why| why.contains("monitor.toml")));
        assert_eq!(absent.capture, Capture::None);
        std::fs::write(&config, "hooks = { capture = \"s3cret\" }").expect("config");
        let wrong = find(&flags, &[]);
        assert!(wrong.unread.is_some_and(|why| !why.contains("s3cret")));
        assert_eq!(wrong.capture, Capture::None);
        std::fs::write(&config, "write_token_file = \"absent\"\nhost = \"10.0.0.7\"").expect("config");
        let half = find(&flags, &[]);
        assert!(half.token.is_err_and(|why| why.contains("absent")));
        assert!(half.monitor.is_err_and(|why| why.contains("10.0.0.7")));
        std::fs::write(dir.path().join("absent"), " \n").expect("token");
        assert!(find(&flags, &[]).token.is_err());
    }
}
