//! A rule of alerts, as people write it in the page or the configuration file, and as `/api/v2/alerts` shows it.

use serde::{Deserialize, Serialize};

use super::{AttentionGroup, AttentionKind, QuietHours};
use crate::ids::AgentId;

/// Longest name of a rule, in characters.
pub const MAX_RULE_NAME_CHARS: usize = 60;
/// Most values in each list of a rule.
const MAX_VALUES: usize = 50;
const MINUTE_MS: i64 = 60_000;
/// Longest wait, digest and repetition: 31 days.
const MAX_SPAN_MS: i64 = 31 * 24 * 60 * MINUTE_MS;

/// Which lines of the work list are sent where, and when. An empty list fits everything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlertRuleSpec {
    /// Its name.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 60, pattern = r"[^\s\x00-\x1f\x7f-\x9f]"))]
    pub name: String,
    /// Who can settle the line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(max_items = 50))]
    pub groups: Vec<AttentionGroup>,
    /// Why it waits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(max_items = 50))]
    pub kinds: Vec<AttentionKind>,
    /// Agents that wait or are stuck.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(max_items = 50))]
    pub agents: Vec<AgentId>,
    /// Number of other agents that the line holds up, at least.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "openapi", schema(value_type = i64, minimum = 0, maximum = 4294967295_i64))]
    pub min_held_up: u32,
    /// Once it has waited for so long, in milliseconds.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 2678400000_i64))]
    pub after_ms: i64,
    /// No message is made during these hours; the lines follow when they end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<QuietHours>,
    /// Lines are collected for so long and sent as one message, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 2678400000_i64))]
    pub digest_ms: Option<i64>,
    /// A line that still waits is sent again after so long, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 60000, maximum = 2678400000_i64))]
    pub repeat_ms: Option<i64>,
    /// Names of the sinks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(max_items = 50))]
    pub sinks: Vec<String>,
    /// It sends nothing for the present.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleProblem {
    /// The field, as in JSON.
    pub field: &'static str,
    /// What it must be, in English, after the name of the field.
    pub must: &'static str,
}

impl AlertRuleSpec {
    /// What is wrong with it, if anything.
    #[must_use]
    pub fn problem(&self) -> Option<RuleProblem> {
        let span = |span: Option<i64>, least: i64| span.is_none_or(|span| (least..=MAX_SPAN_MS).contains(&span));
        let is_name = !self.name.trim().is_empty()
            && self.name.chars().count() <= MAX_RULE_NAME_CHARS
            && !self.name.chars().any(char::is_control);
        let lengths = [self.groups.len(), self.kinds.len(), self.agents.len(), self.sinks.len()];
        let checks = [
            (is_name, "name", "must have 1 to 60 characters"),
            (lengths.iter().all(|length| *length <= MAX_VALUES), "rule", "may have 50 values in each list"),
            (!self.kinds.contains(&AttentionKind::Unknown), "kinds", "must be kinds of the work list"),
            (span(Some(self.after_ms), 0), "afterMs", "must be at most 31 days"),
            (span(self.digest_ms, 1), "digestMs", "must be above 0 and at most 31 days"),
            (span(self.repeat_ms, MINUTE_MS), "repeatMs", "must be a minute to 31 days"),
            (
                self.quiet.is_none_or(QuietHours::is_valid),
                "quiet",
                "must be minutes of a day in a zone within 15 hours",
            ),
        ];
        let failed = checks.into_iter().find(|(is_right, ..)| !is_right);
        failed.map(|(_, field, must)| RuleProblem { field, must })
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A rule of alerts, and whether it is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlertRuleInfo {
    /// Who wrote it.
    pub origin: RuleOrigin,
    /// Id of its shared record, for a rule of [`RuleOrigin::Page`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Revision of that record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
    /// What it says; its list of sinks has the names of all where it is sent to each.
    pub rule: AlertRuleSpec,
    /// When its quiet hours end, epoch ms, while they last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_until: Option<i64>,
    /// Why it is not in force, in an English sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// Who wrote a rule of alerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RuleOrigin {
    /// Nobody: it holds while there is no other rule.
    Default,
    /// The operator, in the configuration file.
    File,
    /// People, in the page.
    Page,
    /// An origin that this build does not know.
    #[serde(other)]
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_names_the_field() {
        let rule = AlertRuleSpec { name: "결정".to_owned(), after_ms: 60_000, ..AlertRuleSpec::default() };
        assert_eq!(rule.problem(), None);
        let field = |rule: AlertRuleSpec| rule.problem().map(|problem| problem.field);
        assert_eq!(field(AlertRuleSpec { name: " ".to_owned(), ..rule.clone() }), Some("name"));
        assert_eq!(field(AlertRuleSpec { name: "\u{7}".to_owned(), ..rule.clone() }), Some("name"));
        assert_eq!(field(AlertRuleSpec { after_ms: -1, ..rule.clone() }), Some("afterMs"));
        assert_eq!(field(AlertRuleSpec { digest_ms: Some(0), ..rule.clone() }), Some("digestMs"));
        assert_eq!(field(AlertRuleSpec { repeat_ms: Some(59_999), ..rule.clone() }), Some("repeatMs"));
        assert_eq!(field(AlertRuleSpec { kinds: vec![AttentionKind::Unknown], ..rule.clone() }), Some("kinds"));
        let quiet = serde_json::from_str(r#"{"from":0,"to":1440}"#).unwrap();
        assert_eq!(field(AlertRuleSpec { quiet: Some(quiet), ..rule }), Some("quiet"));
    }
}
