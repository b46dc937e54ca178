//! Codex's own settings about hooks: where its hooks are written, and which of them it trusts. It runs a hook only after a
//! person has trusted exactly this command, and notes that with a hash in `config.toml`. That file is only read here:
//! trusting is the person's decision.

use std::path::{Path, PathBuf};

use coordination::digest::digest_hex;
use coordination::schema::canonical;
use serde_json::{Value, json};

use super::command::is_ours;

/// Hooks of Codex, in its folder.
const HOOKS_FILE: &str = "hooks.json";
/// Most bytes of its settings.
const MAX_CONFIG_BYTES: u64 = 8 << 20;
/// Letters of a SHA-256 hash.
const HASH_LETTERS: usize = 64;
/// Seconds after which Codex ends a hook that names no time.
const DEFAULT_TIMEOUT_SECONDS: u64 = 600;

/// The file of hooks for all sessions of this user.
///
/// # Errors
/// When the user's home is unknown.
pub(super) fn hooks_file(env: &dyn Fn(&str) -> Option<String>) -> Result<PathBuf, String> {
    let set = |name: &str| env(name).filter(|text| !text.trim().is_empty()).map(PathBuf::from);
    let folder = set("CODEX_HOME").or_else(|| Some(set("HOME")?.join(".codex")));
    Ok(folder.ok_or("whose settings? HOME is not set")?.join(HOOKS_FILE))
}

/// What Codex does with our hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HookTrust {
    /// Number of hooks that it runs.
    pub(super) trusted: usize,
    /// Events whose hooks are new or changed: it asks before it runs them.
    pub(super) untrusted: Vec<String>,
    /// Events whose hooks the person switched off.
    pub(super) disabled: Vec<String>,
    /// The feature itself is switched off.
    pub(super) is_off: bool,
}

impl HookTrust {
    /// Reads `config.toml` beside a file of hooks with this text.
    ///
    /// # Errors
    /// One sentence when the settings cannot be read; without them nothing is trusted.
    pub(super) fn read(hooks_file: &Path, hooks: &str) -> Result<Self, String> {
        let config = hooks_file.with_file_name("config.toml");
        let wrong = |what: &dyn std::fmt::Display| format!("cannot read {}: {what}", config.display());
        let text = match config.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(wrong(&error)),
            Ok(seen) if !seen.is_file() || seen.len() > MAX_CONFIG_BYTES => {
                return Err(wrong(&"it is not a settings file"));
            }
            Ok(_) => std::fs::read_to_string(&config).map_err(|error| wrong(&error))?,
        };
        // Its content may be secret, so it is not repeated.
        let config: toml::Table = toml::from_str(&text).map_err(|_| wrong(&"it is not valid TOML"))?;
        let mut trust = Self {
            is_off: lookup(&config, &["features", "hooks"]) == Some(&toml::Value::Boolean(false)),
            ..Self::default()
        };
        let states = lookup(&config, &["hooks", "state"]).and_then(toml::Value::as_table);
        // Codex names the file as it finds it, which may be through a link.
        let names = [hooks_file.to_path_buf(), hooks_file.canonicalize().unwrap_or_default()];
        for hook in own_hooks(hooks) {
            let state = |path: &PathBuf| states?.get(&format!("{}:{}", path.display(), hook.position))?.as_table();
            let state = names.iter().find_map(state);
            let field = |name: &str| state.and_then(|state| state.get(name));
            if field("enabled").and_then(toml::Value::as_bool) == Some(false) {
                trust.disabled.push(hook.event);
            } else if field("trusted_hash").and_then(toml::Value::as_str) == Some(hook.hash.as_str()) {
                trust.trusted += 1;
            } else {
                trust.untrusted.push(hook.event);
            }
        }
        Ok(trust)
    }
}

fn lookup<'a>(table: &'a toml::Table, path: &[&str]) -> Option<&'a toml::Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, name| value.get(name))
}

/// A hook of ours as Codex identifies it.
struct OwnHook {
    event: String,
    /// `event:group:handler`, counted in its file.
    position: String,
    hash: String,
}

fn own_hooks(hooks: &str) -> Vec<OwnHook> {
    let parsed: Value = serde_json::from_str(hooks.trim_start_matches('\u{feff}')).unwrap_or_default();
    let mut own = Vec::new();
    for (event, groups) in parsed["hooks"].as_object().into_iter().flatten() {
        let label = snake_case(event);
        for (group_at, group) in groups.as_array().into_iter().flatten().enumerate() {
            for (handler_at, handler) in group["hooks"].as_array().into_iter().flatten().enumerate() {
                if handler["command"].as_str().is_some_and(is_ours) {
                    own.push(OwnHook {
                        event: event.clone(),
                        position: format!("{label}:{group_at}:{handler_at}"),
                        hash: trust_hash(&label, group, handler),
                    });
                }
            }
        }
    }
    own
}

/// SHA-256 of what Codex 0.171.0 takes for the identity of a hook: event, matcher and the handler with its defaults.
fn trust_hash(label: &str, group: &Value, handler: &Value) -> String {
    let timeout = handler["timeout"].as_u64().unwrap_or(DEFAULT_TIMEOUT_SECONDS).max(1);
    let is_async = handler["async"].as_bool().unwrap_or_default();
    let mut identity = json!({
        "event_name": label,
        "hooks": [{"type": "command", "command": handler["command"], "timeout": timeout, "async": is_async}],
    });
    if let Some(matcher) = group["matcher"].as_str() {
        identity["matcher"] = matcher.into();
    }
    if let Some(message) = handler["statusMessage"].as_str() {
        identity["hooks"][0]["statusMessage"] = message.into();
    }
    format!("sha256:{}", digest_hex(&canonical(&identity), HASH_LETTERS))
}

/// `PreToolUse` as `pre_tool_use`.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash that Codex 0.171.0 wrote for this hook when its dialog was answered with "Trust all and continue".
    #[test]
    fn trust_hash_is_the_one_that_codex_writes() {
        let handler = json!({"type": "command", "command": "/tmp/codex/facts/hook.sh", "timeout": 20});
        assert_eq!(
            trust_hash(&snake_case("PreToolUse"), &json!({}), &handler),
            "sha256:06b3e888d33cc9cb05991dcc76224b7a5b0436d06f1c57990510fafeccda7579"
        );
    }

    #[test]
    fn trust_is_read_per_hook() {
        let dir = tempfile::tempdir().expect("dir");
        let path = dir.path().join("hooks.json");
        let hooks = json!({"hooks": {
            "Stop": [{"hooks": [{"type": "command", "command": "other"}]}, {"hooks": [{"type": "command", "command": "tm hook --from codex", "timeout": 5}]}],
            "PreToolUse": [{"hooks": [{"type": "command", "command": "tm hook --from codex", "timeout": 5}]}],
            "Interrupt": [{"hooks": [{"type": "command", "command": "tm hook --from codex", "timeout": 3}]}],
        }})
        .to_string();
        let read = || HookTrust::read(&path, &hooks);
        let nothing = read().expect("no settings");
        assert_eq!((nothing.trusted, nothing.untrusted.len(), nothing.is_off), (0, 3, false));
        let hash = trust_hash("stop", &json!({}), &json!({"command": "tm hook --from codex", "timeout": 5}));
        let config = format!(
            "[features]\nhooks = false\n[hooks.state.\"{path}:stop:1:0\"]\ntrusted_hash = \"{hash}\"\n\
             [hooks.state.\"{path}:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:0\"\n\
             [hooks.state.\"{path}:interrupt:0:0\"]\nenabled = false\n",
            path = path.display()
        );
        std::fs::write(dir.path().join("config.toml"), config).expect("write");
        let trust = read().expect("settings");
        let expected = HookTrust {
            trusted: 1,
            untrusted: vec!["PreToolUse".to_owned()],
            disabled: vec!["Interrupt".to_owned()],
            is_off: true,
        };
        assert_eq!(trust, expected);
        std::fs::write(dir.path().join("config.toml"), "key = s3cret").expect("write");
        assert!(read().is_err_and(|why| why.contains("config.toml") && !why.contains("s3cret")));
    }
}
