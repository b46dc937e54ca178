//! Sentences about a rule of alerts.

use coordination::api::{AlertRuleInfo, AlertRuleSpec, AttentionGroup, RuleOrigin};
use coordination::text::hidden;

use crate::components::people::PeopleNames;
use crate::i18n::{I18n, time};

/// Heading of a group of the work list.
pub(super) fn group_name(group: AttentionGroup, words: I18n) -> &'static str {
    let home = &words.get().home;
    match group {
        AttentionGroup::Person => home.for_me,
        AttentionGroup::Agents => home.between_agents,
        AttentionGroup::Check => home.checks,
    }
}

/// Name of a rule, with hidden characters marked. The default rules have those of the groups that they are about.
pub(super) fn rule_name(info: &AlertRuleInfo, words: I18n) -> String {
    match (info.origin, info.rule.groups.as_slice()) {
        (RuleOrigin::Default, [group]) => group_name(*group, words).to_owned(),
        _ => hidden::marked(&info.rule.name).into_owned(),
    }
}

/// What a rule is about, when it sends, and where to.
pub(super) fn summary(rule: &AlertRuleSpec, words: I18n, people: PeopleNames) -> String {
    let all = words.get();
    let texts = all.alert_rules();
    let span = |ms: i64| time::duration(words.locale(), ms);
    let groups = rule.groups.iter().map(|group| group_name(*group, words).to_owned());
    let kinds = rule.kinds.iter().map(|kind| (all.home.attention)(*kind).to_owned());
    let agents = rule.agents.iter().map(|agent| people.name(agent));
    let list = |names: Vec<String>| (!names.is_empty()).then(|| names.join(", "));
    let about = [list(groups.collect()), list(kinds.collect()), list(agents.collect())];
    let about: Vec<String> = about.into_iter().flatten().collect();
    let about = if about.is_empty() { vec![texts.everything.to_owned()] } else { about };
    let held_up = (rule.min_held_up > 0).then(|| (texts.held_up_least)(rule.min_held_up));
    let after = if rule.after_ms == 0 { texts.at_once.to_owned() } else { (texts.after_span)(&span(rule.after_ms)) };
    let digest = rule.digest_ms.map(|ms| (texts.digest_span)(&span(ms)));
    let repeat = rule.repeat_ms.map(|ms| (texts.repeat_span)(&span(ms)));
    let quiet = rule.quiet.map(|quiet| (texts.quiet_hours)(&quiet.text().replace('-', "–")));
    let to = (!rule.sinks.is_empty()).then(|| (texts.sent_to)(&hidden::marked(&rule.sinks.join(", "))));
    let parts = about.into_iter().chain(held_up).chain([after]);
    parts.chain(digest).chain(repeat).chain(quiet).chain(to).collect::<Vec<_>>().join(" · ")
}
