//! Type `SettingSpec`: a row of the table of settings.

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct SettingSpec {
    /// Key in the file; below a section with a dot: `hooks.capture`. Also the name of the setting.
    pub key: &'static str,
    /// Flag without its dashes. Secrets have none: every user of a machine can read the flags of a process.
    pub flag: Option<&'static str>,
    /// Environment variable.
    pub env: &'static str,
    /// What a value looks like.
    pub kind: ValueKind,
    /// The value without a setting, as shown.
    pub default: &'static str,
    /// What it means, in one sentence.
    pub help: &'static str,
}

/// What a value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// A text, with its placeholder.
    Text(&'static str),
    /// A whole number from 0 to a limit, with what it counts.
    Number(&'static str, i64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Several texts: a repeated flag, or separated by commas.
    List(&'static str),
    /// Names of several things: `key=value`, as a list.
    Map(&'static str),
    /// A text that is never shown, and that the file does not hold: it names another file instead.
    Secret,
}

impl SettingSpec {
    /// Variable of an older OpenClaw, read where [`Self::env`] is not set.
    #[must_use]
    pub fn older_env(&self) -> Option<&'static str> {
        (self.key == "home").then_some("CLAWDBOT_STATE_DIR")
    }

    /// Placeholder of the value in help and documents.
    #[must_use]
    pub fn placeholder(&self) -> String {
        match self.kind {
            ValueKind::Text(name) | ValueKind::List(name) | ValueKind::Map(name) => name.to_owned(),
            ValueKind::Number(..) => "N".to_owned(),
            ValueKind::Word(words) => words.join("|"),
            ValueKind::Secret => "SECRET".to_owned(),
        }
    }

    /// A number of this setting, or why a text does not fit.
    pub(in crate::config) fn number(&self, text: &str) -> Result<i64, String> {
        let ValueKind::Number(what, most) = self.kind else { return Err("not a number".to_owned()) };
        let number = text.parse().ok().filter(|number| (0..=most).contains(number));
        number.ok_or_else(|| format!("not {what} from 0 to {most}"))
    }

    /// Whether a flag may be repeated.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        matches!(self.kind, ValueKind::List(_) | ValueKind::Map(_))
    }
}

/// A setting with a flag.
pub(super) const fn setting(
    key: &'static str,
    flag: &'static str,
    env: &'static str,
    kind: ValueKind,
    default: &'static str,
    help: &'static str,
) -> SettingSpec {
    SettingSpec { key, flag: Some(flag), env, kind, default, help }
}

/// A secret: a setting without a flag.
pub(super) const fn secret(key: &'static str, env: &'static str, help: &'static str) -> SettingSpec {
    SettingSpec { key, flag: None, env, kind: ValueKind::Secret, default: "none", help }
}
