//! Command-line flags of `serve`. Those of settings come from the [table](super::table).

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command};

use super::table::{SETTINGS, SettingSpec, ValueKind};

/// Flags of `serve`.
#[derive(Debug, Clone, Default, Args)]
pub struct ServeArgs {
    /// Settings as TOML [env: TASK_MONITOR_CONFIG] [default: task-hub/config.toml in the user's folder of settings].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Fixes the time, for tests and screenshots.
    #[arg(long, value_name = "EPOCH_MS")]
    pub clock: Option<i64>,
    /// Answer REST 1.x only, as the original 1.x monitor does.
    #[arg(long, value_name = "1", value_parser = clap::value_parser!(u8).range(1..=1))]
    pub api: Option<u8>,
    /// Mark the data as demo data.
    #[arg(long)]
    pub demo: bool,
    /// The settings that are given as flags.
    #[command(flatten)]
    pub settings: SettingFlags,
}

/// Settings given as flags: each with its texts, more than one where the flag is repeated.
#[derive(Debug, Clone, Default)]
pub struct SettingFlags(Vec<(&'static str, Vec<String>)>);

impl SettingFlags {
    /// The texts that a flag gives for the setting with this key.
    pub(super) fn get(&self, key: &str) -> Option<&[String]> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, texts)| texts.as_slice())
    }
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        SETTINGS.iter().filter_map(|setting| Some(argument(setting, setting.flag?))).fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn argument(setting: &'static SettingSpec, flag: &'static str) -> Arg {
    let action = if setting.is_repeated() { ArgAction::Append } else { ArgAction::Set };
    let help = format!("{} [env: {}] [default: {}]", setting.help, setting.env, setting.default);
    let argument = Arg::new(setting.key).long(flag).action(action).help(help).value_name(setting.placeholder());
    match setting.kind {
        ValueKind::Word(words) => argument.value_parser(words.to_vec()).hide_possible_values(true),
        ValueKind::Number(..) => argument.value_parser(|text: &str| setting.number(text).map(|_| text.to_owned())),
        ValueKind::Text(_) | ValueKind::List(_) | ValueKind::Map(_) | ValueKind::Secret => argument,
    }
}

impl clap::FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |setting: &'static SettingSpec| {
            setting.flag?;
            let texts: Vec<String> = matches.get_many::<String>(setting.key)?.cloned().collect();
            Some((setting.key, texts))
        };
        Ok(Self(SETTINGS.iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
impl ServeArgs {
    /// The flags of a command line.
    pub(crate) fn of(words: &[&str]) -> Self {
        let command = Self::augment_args(Command::new("serve").no_binary_name(true));
        let matches = command.try_get_matches_from(words).expect("flags");
        clap::FromArgMatches::from_arg_matches(&matches).expect("flags")
    }
}
