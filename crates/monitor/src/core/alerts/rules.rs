//! Rules of alerts in force: those of the configuration file and of the page, or the default ones where there is neither.

use coordination::alerts::NotificationRule;
use coordination::api::{AlertRuleInfo, AlertRuleSpec, AttentionGroup, RuleOrigin};
use coordination::query::PageRule;

use crate::config::AlertSettings;

const MINUTE_MS: i64 = 60_000;
/// Most rules of the page that are in force.
const MAX_PAGE_RULES: usize = 50;

/// All rules, those first that the operator wrote.
pub(crate) fn all(settings: &AlertSettings, page: &[PageRule], now: i64) -> Vec<AlertRuleInfo> {
    if settings.sinks.is_empty() {
        return Vec::new();
    }
    let by_operator = settings.rules.iter().cloned().map(|rule| (RuleOrigin::File, rule));
    let default = if settings.rules.is_empty() && page.is_empty() { default_rules() } else { Vec::new() };
    let default = default.into_iter().map(|rule| (RuleOrigin::Default, rule));
    let unnamed = by_operator.chain(default).map(|(origin, rule)| info(settings, origin, rule, now));
    let of_page = page.iter().enumerate().map(|(place, written)| {
        let mut info = info(settings, RuleOrigin::Page, written.spec.clone(), now);
        (info.id, info.revision) = (Some(written.id.clone()), Some(written.revision));
        if place >= MAX_PAGE_RULES {
            info.trouble = Some(format!("at most {MAX_PAGE_RULES} rules of the page are in force"));
        }
        info
    });
    unnamed.chain(of_page).collect()
}

/// The rules that make messages.
pub(super) fn in_force(settings: &AlertSettings, page: &[PageRule]) -> Vec<NotificationRule> {
    let rules = all(settings, page, 0).into_iter().filter(|info| !info.rule.paused && info.trouble.is_none());
    let with_id = |info: AlertRuleInfo| {
        let id = info.id.map_or_else(|| info.rule.name.clone(), |id| format!("page:{id}"));
        NotificationRule { id, spec: info.rule }
    };
    rules.map(with_id).collect()
}

fn info(settings: &AlertSettings, origin: RuleOrigin, mut rule: AlertRuleSpec, now: i64) -> AlertRuleInfo {
    let known: Vec<String> = settings.sinks.iter().map(|sink| sink.name.clone()).collect();
    let problem = rule.problem().map(|problem| format!("{} {}", problem.field, problem.must));
    let named = !rule.sinks.is_empty();
    let is_lost = named && !rule.sinks.iter().any(|name| known.contains(name));
    let lost = is_lost.then(|| format!("no sink is named {}", rule.sinks.join(", ")));
    if !named {
        rule.sinks = known;
    }
    let quiet_until = rule.quiet.filter(|quiet| quiet.contains(now)).map(|quiet| quiet.next_end(now));
    AlertRuleInfo { origin, id: None, revision: None, rule, quiet_until, trouble: problem.or(lost) }
}

/// What only a person can settle soon, what holds up agents for long as a digest.
fn default_rules() -> Vec<AlertRuleSpec> {
    let rule = |name: &str, group, after_ms, digest_ms| AlertRuleSpec {
        name: name.to_owned(),
        groups: vec![group],
        after_ms,
        digest_ms,
        ..AlertRuleSpec::default()
    };
    vec![
        rule("person", AttentionGroup::Person, MINUTE_MS, None),
        rule("agents", AttentionGroup::Agents, 30 * MINUTE_MS, Some(15 * MINUTE_MS)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::AlertSinkKind;
    use crate::core::alerts::tests::{settings, sink};

    fn page_rule(id: &str, spec: AlertRuleSpec) -> PageRule {
        PageRule { id: id.to_owned(), revision: 1, spec }
    }

    fn spec(name: &str) -> AlertRuleSpec {
        AlertRuleSpec { name: name.to_owned(), after_ms: MINUTE_MS, ..AlertRuleSpec::default() }
    }

    #[test]
    fn default_rules_hold_until_somebody_writes_one() {
        let mut settings = settings(vec![sink("chat", AlertSinkKind::Json, "http://unused.example/")], 0);
        settings.rules.clear();
        let ids = |page: &[PageRule]| in_force(&settings, page).into_iter().map(|rule| rule.id).collect::<Vec<_>>();
        assert_eq!(ids(&[]), ["person", "agents"]);
        assert_eq!(in_force(&settings, &[])[1].spec.digest_ms, Some(900_000));
        assert_eq!(ids(&[page_rule("a", spec("결정"))]), ["page:a"]);
        let paused = AlertRuleSpec { paused: true, ..spec("결정") };
        assert_eq!(ids(&[page_rule("a", paused)]), [""; 0], "who pauses the only rule wants no other");
    }

    #[test]
    fn rule_that_cannot_hold_says_why() {
        let settings = settings(vec![sink("chat", AlertSinkKind::Json, "http://unused.example/")], 0);
        let gone = AlertRuleSpec { sinks: vec!["mail".to_owned()], ..spec("메일") };
        let wrong = AlertRuleSpec { after_ms: -1, ..spec("틀림") };
        let page = [page_rule("a", spec("결정")), page_rule("b", gone), page_rule("c", wrong)];
        let all = all(&settings, &page, 0);
        let shown: Vec<_> = all.iter().map(|info| (info.origin, info.trouble.as_deref())).collect();
        assert_eq!(
            shown,
            [
                (RuleOrigin::File, None),
                (RuleOrigin::Page, None),
                (RuleOrigin::Page, Some("no sink is named mail")),
                (RuleOrigin::Page, Some("afterMs must be at most 31 days")),
            ]
        );
        assert_eq!(all[1].rule.sinks, ["chat"]);
        let ids: Vec<String> = in_force(&settings, &page).into_iter().map(|rule| rule.id).collect();
        assert_eq!(ids, ["all", "page:a"]);
    }
}
