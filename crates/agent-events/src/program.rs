//! Coding agents whose hooks the monitor reads. They send payloads of one structure, with small differences that
//! [`crate::hook`] converts.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A coding agent with hooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentProgram {
    /// Claude Code; also of a hook that names no program.
    #[default]
    ClaudeCode,
    /// OpenAI's Codex CLI.
    Codex,
}

impl AgentProgram {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::ClaudeCode, Self::Codex];

    /// `raw.provider` of its events, and `program` of its items.
    #[must_use]
    pub const fn provider(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude_code",
            Self::Codex => "codex",
        }
    }

    /// Its word on a command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }

    /// The option of a `hooks` command that names it, after a space; empty for the one that needs none.
    #[must_use]
    pub const fn hooks_option(self) -> &'static str {
        match self {
            Self::ClaudeCode => "",
            Self::Codex => " --program codex",
        }
    }

    /// Its name, for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
        }
    }

    /// The program of a provider's name.
    #[must_use]
    pub fn from_provider(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.provider() == name)
    }

    /// For `skip_serializing_if`.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Its name for people.
impl fmt::Display for AgentProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
        })
    }
}

impl FromStr for AgentProgram {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|program| program.word() == word);
        named.ok_or_else(|| format!("there are hooks for {}", Self::ALL.map(Self::word).join(" and ")))
    }
}
