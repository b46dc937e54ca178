//! English texts of the category drift page.

use crate::i18n::messages::DriftMessages;
use crate::routes::DriftSince;

pub(in crate::i18n) static DRIFT: DriftMessages = DriftMessages {
    title: "Category drift",
    subtitle: "How the automatic categories change over time, and where people disagree with them",
    open: "Category drift",
    period: "Period",
    all_time: "All time",
    since: |since| match since {
        DriftSince::Week => "Last 7 days",
        DriftSince::Month => "Last 30 days",
        DriftSince::Quarter => "Last 90 days",
    },
    counted: |n| if n == "1" { "1 session filed by rule".to_owned() } else { format!("{n} sessions filed by rule") },
    stated: |n| format!("{n} left out, as the log states their category"),
    undated: |n| format!("{n} left out, as nobody knows when they began"),
    as_table: "As a table",
    band_inside: |share, low, high| {
        format!("In the last 7 days {share} of the sessions had no grounds for a category: as usual ({low}–{high}).")
    },
    band_above: |share, low, high| {
        format!(
            "In the last 7 days {share} of the sessions had no grounds for a category, more than usual ({low}–{high})."
        )
    },
    band_below: |share, low, high| {
        format!(
            "In the last 7 days {share} of the sessions had no grounds for a category, less than usual ({low}–{high})."
        )
    },
    band_few: |recent, earlier| {
        format!(
            "Too few sessions to compare with the usual: {recent} in the last 7 days (20 are needed), {earlier} before (50)."
        )
    },
    grounds: "Grounds",
    grounds_hint: "Where the base line breaks, there were no sessions",
    no_grounds: "Sessions without grounds",
    no_grounds_why: "No message points to a category, so the default one applies",
    doubtful: "Sessions with little confidence",
    doubtful_why: "Below 40%, those without grounds included",
    shares: "Shares of the categories",
    shares_hint: "By automatic category, all on one scale",
    axis: |from, to| format!("Left to right: {from} to {to}"),
    overrides: "Changed by people",
    overrides_hint: "Where the rules are often wrong",
    column_period: "Time",
    column_sessions: "Sessions",
    column_category: "Automatic",
    column_moved: "Changed",
    column_confirmed: "Confirmed",
    column_to: "Mostly to",
    nobody_moved: "None",
    moved_of: |part, whole, share| format!("{part} of {whole} ({share})"),
    confidence: "Confidence",
    confidence_hint: "Sessions by confidence of their automatic category, in ten steps",
    column_confidence: "Confidence",
    column_share: "Share",
    intents: "Same work, same category",
    intents_hint: "Whether sessions of the same title got the same automatic category",
    no_intents: "No two sessions have the same title yet.",
    agreeing: |share, part, whole, groups| {
        format!(
            "In {groups} groups of the same title, {part} of {whole} sessions ({share}) have the most frequent category of their group."
        )
    },
    all_agree: "No group is divided.",
    divided: "Divided groups",
    divided_of: |here, all| format!("{here} of {all} divided groups."),
    out_of_line: |out, all| format!("{out} of {all} sessions differ"),
    more_sessions: |n| format!("{n} more"),
    empty: ("No session was filed yet", "Once there are sessions, this page shows how well automatic filing works."),
    empty_period: ("No session began in this time", "A longer period shows them."),
    unsupported: ("This monitor does not tell of drift", "A newer monitor does, of past sessions too."),
};
