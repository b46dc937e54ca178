//! Tests of the query of `GET drift`, the classifier's results over time: percentages of categories and fallbacks by
//! period, manual changes by category, sessions of equal title in different categories, and the alarm for an unusual
//! percentage of fallbacks.
//!
//! Proves (categories): Each session whose category the classifier decided counts once: in one period, one confidence
//! range and one table row, with the automatic category that its own page shows. The order of arrival has no influence.
//! Manual changes do not change the percentages.

use std::collections::BTreeMap;

use coordination::api::{
    AttentionKind, BandStanding, Drift, DriftPeriod, FiledShare, ManualOverride, MovedTo, PeriodsQuery, SessionsQuery,
};
use coordination::category::Category;
use coordination::decode::decode;
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;
use coordination::title::TitleSource;
use proptest::prelude::*;

use super::log::{START_MS, hub, line};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// What a session talks of.
const LEGAL_TEXT: &str = "법무 계약 검토, 개인정보 compliance";
const CODE_TEXT: &str = "코드 구현 버그 수정 리팩터링 코드 구현 API 개발";
/// Tells nothing.
const NO_KEYWORD_TEXT: &str = "음";

/// A session's only message, `at` epoch ms.
fn message_line(session: &str, at: i64, text: &str, more: &str) -> String {
    let data = format!(
        r#""fromAgent":"eden","toAgent":"seum","eventRole":"conversation.main","workSessionId":"{session}","conversationId":"{session}","message":"{text}"{more}"#
    );
    line("a2a.send", "eden", at, &data)
}

fn ask(hub: &Hub, now: i64, since: Option<i64>) -> Drift {
    query::drift(hub, now, &PeriodsQuery { since, offset_min: 540 })
}

fn set_by_hand(hub: &mut Hub, sessions: &[(&str, Category)]) {
    let manual = |key| ManualOverride { collab_category: key, updated_at: String::new(), updated_by: None };
    let overrides = sessions.iter().map(|(id, key)| ((*id).into(), manual(*key)));
    hub.set_overrides(overrides.collect::<BTreeMap<_, _>>());
}

/// Sessions, without grounds, stated.
fn figures(period: &DriftPeriod) -> (u32, u32, u32) {
    (period.sessions, period.fallback, period.stated)
}

#[test]
fn empty_drift_has_no_axis_or_share() {
    let found = ask(&hub(&[]), START_MS, None);
    assert_eq!((found.periods.len(), figures(&found.all), found.undated), (0, (0, 0, 0), 0));
    assert_eq!((found.overrides.len(), found.confidence.as_slice()), (10, &[0; 10][..]));
    assert_eq!(found.band.standing, BandStanding::TooFew);
    let wire = serde_json::to_value(&found).unwrap();
    assert_eq!(decode::<Drift>(wire).unwrap(), found);
}

#[test]
fn session_counts_once_in_its_start_period() {
    let lines = [message_line("a", START_MS, LEGAL_TEXT, ""), message_line("a", START_MS + 30 * HOUR, LEGAL_TEXT, "")];
    let found = ask(&hub(&lines), START_MS + 31 * HOUR, None);
    assert_eq!((found.step_ms, found.periods.len()), (HOUR, 32));
    assert_eq!(figures(&found.periods[0]), (1, 0, 0));
    assert_eq!(found.periods[0].filed_as(Category::LegalCompliance), 1);
    assert!(found.periods[1..].iter().all(|period| figures(period) == (0, 0, 0) && period.categories.is_empty()));
    assert_eq!((figures(&found.all), found.confidence.iter().sum::<u32>()), ((1, 0, 0), 1));
    assert_eq!((found.intents.groups, found.intents.sessions), (0, 0), "one alone agrees with nobody");
    assert!(ask(&hub(&lines), START_MS + 31 * HOUR, Some(START_MS + 1)).periods.is_empty(), "it began before");
}

#[test]
fn statements_and_overrides_change_no_share() {
    let stated = r#","collabCategory":"biz_strategy""#;
    let lines = [
        message_line("a", START_MS, NO_KEYWORD_TEXT, ""),
        message_line("b", START_MS, NO_KEYWORD_TEXT, stated),
        message_line("c", START_MS, LEGAL_TEXT, ""),
    ];
    let mut hub = hub(&lines);
    let before = ask(&hub, START_MS, None);
    assert_eq!(figures(&before.all), (2, 1, 1));
    assert_eq!(before.confidence[2], 1, "the fallback says 0.2");
    set_by_hand(
        &mut hub,
        &[("a", Category::QaValidation), ("b", Category::QaValidation), ("c", Category::QaValidation)],
    );
    let after = ask(&hub, START_MS, None);
    assert_eq!((&after.all, &after.confidence, after.band), (&before.all, &before.confidence, before.band));
    let moved: u32 = after.overrides.iter().map(|row| row.moved).sum();
    assert_eq!(moved, 2, "b was nobody's filing");
    let only = [message_line("b", START_MS, NO_KEYWORD_TEXT, stated)];
    let all_stated = ask(&self::hub(&only), START_MS, None);
    assert_eq!(
        (figures(&all_stated.all), all_stated.periods[0].categories.len()),
        ((0, 0, 1), 0),
        "no share of nothing"
    );
}

#[test]
fn overrides_are_counted_by_rule_category() {
    let lines: Vec<String> = (0..6).map(|n| message_line(&format!("s{n}"), START_MS + n, LEGAL_TEXT, "")).collect();
    let mut hub = hub(&[lines, vec![message_line("code", START_MS, CODE_TEXT, "")]].concat());
    set_by_hand(
        &mut hub,
        &[
            ("s0", Category::BizStrategy),
            ("s1", Category::DocsKnowledge),
            ("s2", Category::BizStrategy),
            ("s3", Category::LegalCompliance),
        ],
    );
    let found = ask(&hub, START_MS + DAY, None);
    let row = &found.overrides[Category::LegalCompliance.index()];
    assert_eq!((row.key, row.sessions, row.moved, row.confirmed), (Category::LegalCompliance, 6, 3, 1));
    let to = |key, sessions| MovedTo { key, sessions };
    assert_eq!(row.to, [to(Category::BizStrategy, 2), to(Category::DocsKnowledge, 1)]);
    let code = &found.overrides[Category::EngineeringBuild.index()];
    assert_eq!((code.sessions, code.moved, code.to.len()), (1, 0, 0));
    let all: Vec<String> = (0..6).map(|n| format!("s{n}")).collect();
    let everyone: Vec<(&str, Category)> = all.iter().map(|id| (id.as_str(), Category::InfraOps)).collect();
    set_by_hand(&mut hub, &everyone);
    let row = ask(&hub, START_MS + DAY, None).overrides[Category::LegalCompliance.index()].clone();
    assert_eq!((row.sessions, row.moved, row.to), (6, 6, vec![to(Category::InfraOps, 6)]), "all by hand");
}

#[test]
fn wrong_clock_adds_no_periods() {
    let lines = [
        message_line("unset", 1_000, LEGAL_TEXT, ""),
        message_line("seconds", 1_771_500_000, LEGAL_TEXT, ""),
        message_line("none", 0, LEGAL_TEXT, ""),
        message_line("mended", 1_000, LEGAL_TEXT, ""),
        message_line("mended", START_MS + 5, LEGAL_TEXT, ""),
        message_line("ahead", START_MS + 900 * DAY, LEGAL_TEXT, ""),
        message_line("plain", START_MS, LEGAL_TEXT, ""),
    ];
    let found = ask(&hub(&lines), START_MS + HOUR, None);
    assert_eq!((found.undated, found.all.sessions, found.step_ms), (3, 3, HOUR));
    assert!(found.periods.len() <= 3, "{}", found.periods.len());
    assert_eq!(found.periods.last().map(|period| period.sessions), Some(1), "what lies ahead is in the newest period");
    assert_eq!(ask(&hub(&lines), START_MS + HOUR, Some(START_MS)).undated, 0, "nobody knows when they began");
}

#[test]
fn intent_sessions_are_divided_by_category() {
    let titled = |id: &str, at: i64, label: &str, text: &str| {
        message_line(id, START_MS + at, text, &format!(r#","label":"{label}""#))
    };
    let lines = [
        titled("a", 0, "가나 다라", LEGAL_TEXT),
        titled("b", 1, "가나, 다라!", LEGAL_TEXT),
        titled("c", 2, "가나  다라", CODE_TEXT),
        titled("d", 3, "마바 사아", LEGAL_TEXT),
        titled("e", 4, "마바 사아", LEGAL_TEXT),
        titled("f", 5, "혼자", LEGAL_TEXT),
        message_line("dull1", START_MS, NO_KEYWORD_TEXT, ""),
    ];
    let mut hub = hub(&lines);
    let found = ask(&hub, START_MS + DAY, None).intents;
    assert_eq!((found.groups, found.sessions, found.agreeing, found.divided_total), (2, 5, 4, 1));
    let divided = &found.divided[0];
    assert_eq!((divided.title.as_str(), divided.title_source), ("가나 다라", TitleSource::Label));
    assert_eq!((divided.primary, divided.sessions, divided.agreeing), (Category::LegalCompliance, 3, 2));
    let members: Vec<_> = divided.members.iter().map(|one| (one.work_session_id.as_str(), one.key)).collect();
    let (law, code) = (Category::LegalCompliance, Category::EngineeringBuild);
    assert_eq!(members, [("c", code), ("b", law), ("a", law)], "who is out of line first, then newest first");
    set_by_hand(&mut hub, &[("c", law)]);
    assert_eq!(ask(&hub, START_MS + DAY, None).intents, found, "a person who sets it right does not mend the rules");
}

/// So many sessions of which the first `dull` have no grounds.
fn many(name: &str, sessions: u32, dull: u32, at: i64) -> Vec<String> {
    let text = |n| if n < dull { NO_KEYWORD_TEXT } else { LEGAL_TEXT };
    (0..sessions).map(|n| message_line(&format!("{name}{n}"), at + i64::from(n), text(n), "")).collect()
}

/// The newest of the seven recent days begins here.
fn week_begins(now: i64) -> i64 {
    (now.div_euclid(DAY) - 6) * DAY
}

#[test]
fn recent_fallback_share_is_compared_with_band() {
    let since = week_begins(START_MS);
    let band = |earlier: (u32, u32), recent: (u32, u32)| {
        let lines = [many("old", earlier.0, earlier.1, since - DAY), many("new", recent.0, recent.1, since)].concat();
        let hub = hub(&lines);
        let alarm =
            query::home(&hub, START_MS).attention.into_iter().find(|line| line.kind == AttentionKind::FallbackDrift);
        let band = ask(&hub, START_MS, None).band;
        let out = matches!(band.standing, BandStanding::Above | BandStanding::Below);
        assert_eq!(alarm.as_ref().and_then(|line| line.band), out.then_some(band), "home tells just what is out");
        assert!(alarm.is_none_or(|line| line.inferred && line.since == since && line.evidence.is_empty()));
        (band.standing, band.low, band.high)
    };
    assert_eq!(band((60, 0), (19, 19)).0, BandStanding::TooFew);
    assert_eq!(band((49, 0), (20, 20)).0, BandStanding::TooFew);
    // Chance 1/62; three deviations of the difference of 20 and 60 draws.
    assert_eq!(band((60, 0), (20, 1)), (BandStanding::Inside, 0.0, 0.0976));
    assert_eq!(band((60, 0), (20, 2)), (BandStanding::Above, 0.0, 0.0976));
    // Chance 1/2.
    assert_eq!(band((60, 30), (20, 3)), (BandStanding::Inside, 0.1127, 0.8873));
    assert_eq!(band((60, 30), (20, 2)), (BandStanding::Below, 0.1127, 0.8873));
    // However many there are, less than five points are no news.
    assert_eq!(band((3_000, 0), (1_000, 50)), (BandStanding::Inside, 0.0, 0.05));
    assert_eq!(band((3_000, 0), (1_000, 51)).0, BandStanding::Above);
}

#[test]
fn band_is_independent_of_queried_period() {
    let since = week_begins(START_MS);
    let hub = hub(&[many("old", 60, 6, since - 1_000), many("new", 21, 4, since)].concat());
    let band = ask(&hub, START_MS, None).band;
    let filed = |sessions, fallback| FiledShare { sessions, fallback };
    assert_eq!((band.since, band.earlier, band.recent), (since, filed(60, 6), filed(21, 4)));
    assert_eq!(ask(&hub, START_MS, Some(START_MS)).band, band);
    let later = ask(&hub, START_MS + DAY, None).band;
    assert_eq!(
        (later.recent, later.standing),
        (filed(0, 0), BandStanding::TooFew),
        "a day later they are earlier ones"
    );
}

#[test]
fn drift_survives_json_round_trip() {
    let label = r#","label":"가나 다라""#;
    let lines = [
        message_line("a", START_MS, LEGAL_TEXT, label),
        message_line("b", START_MS + DAY, CODE_TEXT, label),
        message_line("c", START_MS, NO_KEYWORD_TEXT, ""),
    ];
    let mut hub = hub(&lines);
    set_by_hand(&mut hub, &[("a", Category::DocsKnowledge)]);
    let found = ask(&hub, START_MS + 3 * DAY, Some(START_MS));
    assert!(!found.intents.divided.is_empty() && found.periods.len() == 4);
    assert_eq!(decode::<Drift>(serde_json::to_value(&found).unwrap()).unwrap(), found);
    assert_eq!(serde_json::from_str::<Drift>(&serde_json::to_string(&found).unwrap()).unwrap(), found);
}

proptest! {
    #[test]
    fn each_session_has_one_period_bin_row(
        drawn in prop::collection::vec((0..9_u8, 0..60_i64, 0..4_usize, any::<bool>()), 1..40),
        by_hand in prop::collection::vec((0..9_u8, 0..10_usize), 0..6),
        since in prop::option::of(0..60_i64),
    ) {
        let texts = [LEGAL_TEXT, CODE_TEXT, NO_KEYWORD_TEXT, "회의록 정리해서 문서로"];
        let lines: Vec<String> = drawn.iter().map(|(id, day, text, stated)| {
            let more = if *stated && *text == 0 { r#","collabCategory":"infra_ops""# } else { "" };
            message_line(&format!("s{id}"), START_MS + day * DAY, texts[*text], more)
        }).collect();
        let overrides: Vec<(String, Category)> =
            by_hand.iter().map(|(id, key)| (format!("s{id}"), Category::ALL[*key])).collect();
        let overrides: Vec<(&str, Category)> = overrides.iter().map(|(id, key)| (id.as_str(), *key)).collect();
        let (now, since) = (START_MS + 60 * DAY, since.map(|day| START_MS + day * DAY));
        let mut whole = hub(&lines);
        set_by_hand(&mut whole, &overrides);
        let found = ask(&whole, now, since);

        // One line after the other, the newest of the log first, and changes by hand before any of them.
        let mut pieces = hub(&[]);
        set_by_hand(&mut pieces, &overrides);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        for event in parse_lines(text.as_bytes(), "f", 0).0.into_iter().rev() {
            pieces.apply(vec![event]);
        }
        prop_assert_eq!(&ask(&pieces, now, since), &found);

        // The same figures, summed over the answers for each session.
        let page = query::sessions(&whole, now, &SessionsQuery { limit: Some(200), ..Default::default() }).unwrap();
        let began = page.sessions.iter().filter(|card| since.is_none_or(|since| card.start_time >= since));
        let mut totals = DriftPeriod { at: found.all.at, ..DriftPeriod::default() };
        let mut moved = 0;
        for card in began {
            let evidence = query::session(&whole, now, &card.work_session_id).unwrap().evidence;
            let automatic = evidence.automatic.unwrap();
            let mut bare = hub(&lines);
            bare.set_overrides(BTreeMap::new());
            let own = query::session(&bare, now, &card.work_session_id).unwrap().session.category;
            prop_assert_eq!(own.key, automatic);
            if own.source == coordination::category::CategorySource::Manual {
                totals.stated += 1;
                continue;
            }
            totals.sessions += 1;
            totals.fallback += u32::from(own.source == coordination::category::CategorySource::Fallback);
            totals.doubtful += u32::from(own.is_doubtful());
            totals.categories.resize(10, 0);
            totals.categories[own.key.index()] += 1;
            moved += u32::from(card.category.key != automatic);
        }
        prop_assert_eq!(&found.all, &totals);
        prop_assert_eq!(found.overrides.iter().map(|row| row.moved).sum::<u32>(), moved);
        prop_assert_eq!(found.overrides.iter().map(|row| row.sessions).sum::<u32>(), totals.sessions);
        prop_assert_eq!(found.confidence.iter().sum::<u32>(), totals.sessions);
        let sum = |of: fn(&DriftPeriod) -> u32| found.periods.iter().map(of).sum::<u32>();
        prop_assert_eq!(
            (sum(|one| one.sessions), sum(|one| one.fallback), sum(|one| one.doubtful), sum(|one| one.stated)),
            (totals.sessions, totals.fallback, totals.doubtful, totals.stated)
        );
        prop_assert!(found.periods.len() <= 50);
        for two in found.periods.windows(2) {
            prop_assert_eq!(two[1].at - two[0].at, found.step_ms);
        }
        prop_assert!(found.intents.agreeing <= found.intents.sessions);
    }
}
