//! Command `task-monitor config`: prints the settings in force as a configuration file, each with the source of its value.
//! Secrets are masked.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Context as _;
use clap::Args;

use crate::config::layers::{Layers, Source, environment};
use crate::config::table::{SETTINGS, SettingSpec, ValueKind};
use crate::config::{ServeArgs, Settings};
use crate::home::HomeDir;

/// Flags of the command: all of `serve`, to see what they change.
#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    /// Print the table of all settings as Markdown instead.
    #[arg(long, hide = true)]
    table: bool,
    #[command(flatten)]
    serve: ServeArgs,
}

/// Prints the settings, and on standard error what is unwise about them.
///
/// # Errors
/// When a value is not acceptable, as `serve` would refuse it.
pub(super) fn run(args: &ConfigArgs) -> anyhow::Result<()> {
    let text = if args.table {
        table()
    } else {
        let env = environment();
        let layers = Layers::read(&args.serve, &env)?;
        let settings = Settings::from_layers(&layers, &args.serve, &env)?;
        for caution in &settings.cautions {
            eprintln!("task-monitor: {caution}");
        }
        in_force(&layers, &settings.home)?
    };
    std::io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")
}

/// One line a setting. Defaults are comments, so that the text is a configuration file.
fn in_force(layers: &Layers, home: &HomeDir) -> anyhow::Result<String> {
    let mut text = match &layers.file {
        Some(file) => format!("# configuration file: {}\n", file.display()),
        None => "# no configuration file\n".to_owned(),
    };
    let mut section = "";
    for nested in [false, true] {
        for setting in SETTINGS.iter().filter(|setting| setting.key.contains('.') == nested) {
            let (own, name) = setting.key.split_once('.').unwrap_or(("", setting.key));
            if own != section {
                writeln!(text, "\n[{own}]")?;
                section = own;
            }
            // The default home depends on the folders that exist.
            let default = if name == "home" { home.display(home.root()) } else { setting.default.to_owned() };
            writeln!(text, "{}", line(layers, setting, name, &default))?;
        }
    }
    Ok(text)
}

fn line(layers: &Layers, setting: &SettingSpec, name: &str, default: &str) -> String {
    let source = match layers.source(setting.key) {
        Source::Flag => format!("--{}", setting.flag.unwrap_or_default()),
        Source::Environment => setting.env.to_owned(),
        Source::File => "file".to_owned(),
        Source::Default => return format!("# {name}: {default} (default)"),
    };
    match layers.get(setting.key).filter(|_| setting.kind != ValueKind::Secret) {
        Some(value) => format!("{name} = {value} # {source}"),
        None => format!("# {name}: set, not shown ({source})"),
    }
}

/// The table of all settings in `docs/guide/settings.md`.
fn table() -> String {
    let mut text =
        String::from("| key in the file | flag | variable | value | default | meaning |\n|---|---|---|---|---|---|\n");
    for setting in SETTINGS {
        let flag = setting.flag.map_or_else(|| "–".to_owned(), |flag| format!("`--{flag}`"));
        let key = if setting.kind == ValueKind::Secret { "–".to_owned() } else { format!("`{}`", setting.key) };
        let value = setting.placeholder().replace('|', "\\|");
        let (env, default, help) = (setting.env, setting.default, setting.help.replace('|', "\\|"));
        text.push_str(&format!("| {key} | {flag} | `{env}` | `{value}` | {default} | {help} |\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_table_in_the_guide_is_current() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/settings.md");
        let written = std::fs::read_to_string(file).expect("docs/guide/settings.md");
        assert!(
            written.contains(&table()),
            "put the output of `task-monitor config --table` into docs/guide/settings.md"
        );
    }

    #[test]
    fn settings_in_force_are_a_configuration_file_without_secrets() {
        let args =
            ServeArgs::of(&["--port", "4000", "--hooks-capture", "full", "--allowed-hosts", "a.example,b.example"]);
        let env = |name: &str| match name {
            "TASK_MONITOR_WRITE_TOKEN" => Some("s3cret-s3cret-s3cret".to_owned()),
            "TASK_MONITOR_LOCALE" => Some("en".to_owned()),
            _ => None,
        };
        let layers = Layers::over(toml::Table::new(), None, &args, &env).expect("layers");
        let text = in_force(&layers, &HomeDir::new("/nowhere")).expect("text");
        assert!(!text.contains("s3cret") && text.contains("# write_token: set, not shown (TASK_MONITOR_WRITE_TOKEN)"));
        assert!(
            text.contains("port = 4000 # --port") && text.contains("locale = \"en\" # TASK_MONITOR_LOCALE"),
            "{text}"
        );
        let mut table: toml::Table = toml::from_str(&text).expect("a configuration file");
        // Sections of defaults alone.
        table.retain(|_, value| value.as_table().is_none_or(|section| !section.is_empty()));
        assert_eq!(&table, layers.table());
    }
}
