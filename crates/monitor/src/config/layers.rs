//! Layers of settings: flags, environment, configuration file. They are merged into one TOML table, a higher layer over a
//! lower one, and the source of each value is noted for `task-monitor config`.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::alerts::join_paths;
use super::args::ServeArgs;
use super::table::{SETTINGS, SettingSpec, ValueKind};
use super::values::without_values;
use super::{ConfigError, FileConfig};

/// Environment variable of the configuration file.
const CONFIG_VARIABLE: &str = "TASK_MONITOR_CONFIG";
/// The file below the user's folder of settings.
const DEFAULT_FILE: &str = "task-hub/config.toml";

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The command line.
    Flag,
    /// The environment variable of the setting.
    Environment,
    /// The configuration file.
    File,
    /// None of them: the default.
    Default,
}

/// All layers as one table, without secrets.
#[derive(Debug, Default)]
pub struct Layers {
    table: Table,
    sources: Vec<(&'static str, Source)>,
    /// The configuration file that was read.
    pub file: Option<PathBuf>,
}

impl Layers {
    /// Reads the configuration file and puts the environment and the flags over it.
    ///
    /// # Errors
    /// When a named file cannot be read, a file is not of the right shape, or a value is not of its setting's kind.
    pub(crate) fn read(args: &ServeArgs, env: &dyn Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let file = config_file(args.config.as_deref(), env);
        let table = file.as_deref().map(read_file).transpose()?.unwrap_or_default();
        Self::over(table, file, args, env)
    }

    /// Puts the environment and the flags over a table.
    pub(crate) fn over(
        table: Table,
        file: Option<PathBuf>,
        args: &ServeArgs,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let mut layers = Self { table, sources: Vec::new(), file };
        for setting in SETTINGS {
            let variable = env(setting.env).or_else(|| env(setting.older_env()?));
            let source = if setting.kind == ValueKind::Secret {
                if variable.is_some() { Source::Environment } else { Source::Default }
            } else if let Some(texts) = args.settings.get(setting.key) {
                let name = format!("--{}", setting.flag.unwrap_or_default());
                layers.put(setting.key, value(setting, &name, texts)?);
                Source::Flag
            } else if let Some(text) = variable {
                layers.put(setting.key, value(setting, setting.env, &[text])?);
                Source::Environment
            } else if layers.get(setting.key).is_some() {
                Source::File
            } else {
                Source::Default
            };
            layers.sources.push((setting.key, source));
        }
        Ok(layers)
    }

    /// The merged values, typed.
    pub(super) fn config(&self) -> Result<FileConfig, ConfigError> {
        let config = Value::Table(self.table.clone()).try_into();
        config.map_err(|error: toml::de::Error| ConfigError::Value { what: without_values(error.message()) })
    }

    /// All values that are set, as one table.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The value of a setting in force, unless it is the default or a secret.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        match key.split_once('.') {
            None => self.table.get(key),
            Some((section, name)) => self.table.get(section)?.get(name),
        }
    }

    /// Where the value of a setting comes from.
    #[must_use]
    pub fn source(&self, key: &str) -> Source {
        self.sources.iter().find(|(known, _)| *known == key).map_or(Source::Default, |(_, source)| *source)
    }

    fn put(&mut self, key: &str, value: Value) {
        match key.split_once('.') {
            None => drop(self.table.insert(key.to_owned(), value)),
            Some((section, name)) => {
                let section = self.table.entry(section).or_insert_with(|| Value::Table(Table::new()));
                if let Value::Table(section) = section {
                    section.insert(name.to_owned(), value);
                }
            }
        }
    }
}

/// The environment of this process. A variable that is set but blank counts as not set, except for a right: a blank list
/// is nobody, and must not come to mean everybody.
pub fn environment() -> impl Fn(&str) -> Option<String> {
    |name| {
        let text = std::env::var(name).ok()?.trim().to_owned();
        (!text.is_empty() || name.starts_with("TASK_MONITOR_RIGHTS_")).then_some(text)
    }
}

/// The named file, or the usual one if it exists.
pub(crate) fn config_file(flag: Option<&Path>, env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let named = flag.map(Path::to_path_buf).or_else(|| env(CONFIG_VARIABLE).map(PathBuf::from));
    named.or_else(|| {
        let file = user_folder("XDG_CONFIG_HOME", ".config", env)?.join(DEFAULT_FILE);
        file.exists().then_some(file)
    })
}

/// A folder of the user by the XDG rules: that of the variable, else the usual one below the home directory. A relative
/// path counts as not set.
pub(super) fn user_folder(variable: &str, usual: &str, env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(variable).or_else(|| Some(absolute("HOME")?.join(usual)))
}

/// The table of a file, once its shape is checked. Paths of secrets are relative to its folder.
fn read_file(path: &Path) -> Result<Table, ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|cause| ConfigError::Read { path: path.to_path_buf(), cause })?;
    let wrong = |error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let cause = format!("line {line}: {}", without_values(error.message()));
        ConfigError::Parse { path: path.to_path_buf(), cause }
    };
    let _: FileConfig = toml::from_str(&text).map_err(wrong)?;
    let mut table: Table = toml::from_str(&text).map_err(wrong)?;
    // As the hooks read it: they are started anywhere.
    let folder = path.parent().unwrap_or(Path::new(""));
    let join = |file: &mut Value| {
        if let Value::String(name) = file {
            *name = folder.join(&*name).to_string_lossy().into_owned();
        }
    };
    table.get_mut("write_token_file").map(join);
    table.get_mut("gateway").and_then(|gateway| gateway.get_mut("token_file")).map(join);
    for key in ["creds_file", "ca_file", "mirror"] {
        table.get_mut("fleet").and_then(|fleet| fleet.get_mut(key)).map(join);
    }
    if let Some(alerts) = table.get_mut("alerts") {
        join_paths(alerts, folder);
    }
    Ok(table)
}

/// The texts of a flag or variable as a value of the setting's kind; `name` is what a refusal calls it.
fn value(setting: &SettingSpec, name: &str, texts: &[String]) -> Result<Value, ConfigError> {
    let wrong = |text: &str, what: &str| ConfigError::Value { what: format!("{name} {text:?} is {what}") };
    let last = texts.last().map(|text| text.trim()).unwrap_or_default();
    let parts = || texts.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|part| !part.is_empty());
    match setting.kind {
        ValueKind::Text(_) | ValueKind::Secret => Ok(Value::String(last.to_owned())),
        ValueKind::Number(..) => setting.number(last).map(Value::Integer).map_err(|why| wrong(last, &why)),
        ValueKind::Word(words) if words.contains(&last) => Ok(Value::String(last.to_owned())),
        ValueKind::Word(words) => Err(wrong(last, &format!("not {}", words.join(" or ")))),
        ValueKind::List(_) => Ok(Value::Array(parts().map(|part| Value::String(part.to_owned())).collect())),
        ValueKind::Map(form) => {
            let pair = |part: &str| {
                let (key, value) = part.split_once('=').ok_or_else(|| wrong(part, &format!("not {form}")))?;
                Ok((key.trim().to_owned(), Value::String(value.trim().to_owned())))
            };
            parts().map(pair).collect::<Result<Table, ConfigError>>().map(Value::Table)
        }
    }
}
