//! Property tests of the flow diagram of a session. Each event belongs to exactly one element of the diagram (called
//! "mark" below), and each element is drawn once. Texts do not overlap, and time runs from top to bottom.
//!
//! Proves (reading): The flow of any session holds every event in exactly one mark, draws each mark once in order of
//! time, and overlaps no text. It does not depend on the order in which events arrive. Marks with invalid lanes or
//! times are drawn too. Printed pages are divided between rows only.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use coordination::api::{Cursor, EventsQuery, Flow, SessionsQuery};
use coordination::event::{Event, parse_lines};
use coordination::flow_layout::{
    Area, FlowLayout, LayoutOptions, MIN_FOLDED_PAUSE_MS, MarkRef, PaperSize, SheetPart, layout, minimap_rows, sheets,
};
use coordination::hub::Hub;
use coordination::ids::SessionId;
use coordination::query;
use coordination::roster::Roster;
use expect_test::{Expect, expect};
use proptest::prelude::*;

/// The fixtures' moment.
const NOW: i64 = 1_771_651_020_000;
const DAY_MS: i64 = 86_400_000;
const SEOUL_MS: i64 = 9 * 3_600_000;

fn day(at: i64) -> i64 {
    (at + SEOUL_MS).div_euclid(DAY_MS)
}

fn folded(flow: &Flow) -> FlowLayout {
    layout(flow, &LayoutOptions { unfolded: &|_| false, day: &day })
}

fn unfolded(flow: &Flow) -> FlowLayout {
    layout(flow, &LayoutOptions { unfolded: &|_| true, day: &day })
}

fn story(name: &str) -> Hub {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(home.join("logs")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let config = std::fs::read_to_string(home.join("openclaw.json")).unwrap_or_default();
    let mut include = |path: &str| std::fs::read_to_string(home.join(path)).map_err(|error| error.to_string());
    let mut hub = Hub::new();
    hub.set_roster(Roster::parse(&config, &mut include).unwrap_or_default());
    for (number, file) in files.iter().enumerate() {
        hub.apply(parse_lines(&std::fs::read(file).unwrap(), &format!("f{number}"), 0).0);
    }
    hub
}

fn sessions(hub: &Hub) -> Vec<SessionId> {
    let mut query = SessionsQuery { limit: Some(200), ..SessionsQuery::default() };
    let mut out = Vec::new();
    loop {
        let page = query::sessions(hub, NOW, &query).unwrap();
        out.extend(page.sessions.into_iter().map(|card| card.work_session_id));
        match page.next {
            Some(next) => query.after = Some(next),
            None => return out,
        }
    }
}

fn events_of(hub: &Hub, session: &SessionId) -> Vec<String> {
    let mut query = EventsQuery { session: Some(session.clone()), limit: Some(500), ..EventsQuery::default() };
    let mut out = Vec::new();
    loop {
        let page = query::events(hub, NOW, &query).unwrap();
        out.extend(page.events.iter().map(|row| row.id.to_string()));
        match page.next {
            Some(next) => query.before = Some(next),
            None => break,
        }
    }
    out.sort();
    out
}

/// Every event in exactly one mark, every mark at exactly one stop.
fn drawn_once(hub: &Hub, flow: &Flow, drawn: &FlowLayout) {
    let mut held: Vec<String> = flow.events().map(ToString::to_string).collect();
    held.sort();
    assert_eq!(held, events_of(hub, &flow.session_id), "each event belongs to one mark");
    let stops: BTreeSet<MarkRef> = drawn.stops.iter().map(|stop| stop.of).collect();
    assert_eq!(stops.len(), drawn.stops.len(), "no mark is at two stops");
    let marks = (0..flow.arrows.len()).map(MarkRef::Arrow);
    let marks = marks
        .chain((0..flow.delegations.len()).map(MarkRef::Delegation))
        .chain((0..flow.task_bars.len()).map(MarkRef::TaskBar));
    assert_eq!(stops, marks.chain((0..flow.notes.len()).map(MarkRef::Note)).collect(), "every mark has a stop");
}

/// Moments and where they stand.
fn moments(flow: &Flow, drawn: &FlowLayout) -> Vec<(i64, f64)> {
    let mut out: Vec<(i64, f64)> = Vec::new();
    out.extend(flow.arrows.iter().zip(&drawn.arrows).map(|(arrow, at)| (arrow.at, at.y0)));
    out.extend(flow.notes.iter().zip(&drawn.notes).map(|(note, at)| (note.at, at.y)));
    for (delegation, at) in flow.delegations.iter().zip(&drawn.delegations) {
        out.push((delegation.start_time, at.y0));
        out.extend(
            delegation.end_time.filter(|end| at.y1 > at.y0 && *end >= delegation.start_time).map(|end| (end, at.y1)),
        );
    }
    for (task_bar, at) in flow.task_bars.iter().zip(&drawn.task_bars) {
        let ordered = task_bar.spans.is_sorted_by_key(|span| span.from);
        out.extend(task_bar.spans.iter().zip(&at.spans).filter(|_| ordered).map(|(span, at)| (span.from, at.area.y)));
    }
    out.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    out
}

fn in_order(flow: &Flow, drawn: &FlowLayout) {
    for pair in moments(flow, drawn).windows(2) {
        assert!(pair[0].0 == pair[1].0 || pair[0].1 <= pair[1].1, "{pair:?}");
    }
    assert!(drawn.stops.is_sorted_by_key(|stop| stop.at.max(0)));
    assert!(drawn.ticks.is_sorted_by_key(|tick| (tick.at, tick.y)));
    for pair in drawn.ticks.windows(2) {
        let above = if pair[1].day { 32 } else { 16 };
        assert!(pair[1].y - pair[0].y >= above, "times at the edge share no room: {pair:?}");
    }
}

fn apart(flow: &Flow, drawn: &FlowLayout) {
    let mut areas: Vec<Area> = drawn.labels().collect();
    areas.sort_by(|a, b| a.y.total_cmp(&b.y));
    for (number, area) in areas.iter().enumerate() {
        assert!(area.x >= 0.0 && area.x + area.width <= drawn.width + 1e-9, "{area:?} within {}", drawn.width);
        assert!(area.y >= 0.0 && area.bottom() <= drawn.height, "{area:?} within {}", drawn.height);
        // What begins below the end of this one lies below it, and so does all that follows.
        for other in areas[number + 1..].iter().take_while(|other| other.y < area.bottom()) {
            assert!(!area.overlaps(other), "{area:?} and {other:?}");
        }
    }
    for pair in drawn.work.windows(2).filter(|pair| pair[0].lane == pair[1].lane) {
        assert!(pair[0].y1 < pair[1].y0, "{pair:?}");
    }
    let lanes = &drawn.lanes;
    // Beside the lane of people no words need to stand.
    let people = flow.lanes.first().is_some_and(|lane| lane.person);
    let least = |at: usize| if at == 0 && people { 110.0 } else { 200.0 };
    assert!(lanes.windows(2).enumerate().all(|(at, pair)| pair[1] - pair[0] >= least(at)), "{lanes:?}");
}

/// No stem overlaps another while both are there, and no task bar overlaps another.
fn upright(flow: &Flow, drawn: &FlowLayout) {
    for (number, one) in drawn.delegations.iter().enumerate() {
        for other in &drawn.delegations[number + 1..] {
            let meet = one.y0 < other.y1 && other.y0 < one.y1;
            assert!(!meet || (one.stem - other.stem).abs() > 0.5, "{one:?} and {other:?}");
        }
    }
    let spans = |at: usize| drawn.task_bars[at].spans.iter().map(|span| span.area).filter(|area| area.height > 0.0);
    for one in 0..flow.task_bars.len() {
        for other in one + 1..flow.task_bars.len() {
            assert!(!spans(one).any(|a| spans(other).any(|b| a.overlaps(&b))), "task bars {one} and {other}");
        }
    }
}

/// Upright, lying, and a slip that holds hardly more than one row.
const PAPERS: [PaperSize; 3] = [
    PaperSize { width: 700.0, height: 900.0, heads: 78.0 },
    PaperSize { width: 960.0, height: 640.0, heads: 78.0 },
    PaperSize { width: 300.0, height: 150.0, heads: 78.0 },
];

/// What has to be drawn at one place, and from where to where it reaches.
fn parts(drawn: &FlowLayout) -> BTreeMap<SheetPart, (f64, f64)> {
    let mut out = BTreeMap::new();
    for (at, arrow) in drawn.arrows.iter().enumerate() {
        let bottom = arrow.fate.map_or(arrow.y1, |fate| fate.bottom()).max(arrow.y1);
        out.insert(SheetPart::Arrow(at), (arrow.text.y.min(arrow.y0), bottom));
    }
    for (at, delegation) in drawn.delegations.iter().enumerate() {
        let returns = delegation.back && delegation.y1 > delegation.y0;
        let end = if returns { delegation.name.bottom() } else { delegation.fate.bottom() };
        out.insert(SheetPart::Branch(at), (delegation.name.y, end));
        if returns {
            out.insert(SheetPart::Return(at), (delegation.fate.y, delegation.fate.bottom()));
        }
        let middle = (delegation.y0 + delegation.y1) / 2.0;
        out.insert(SheetPart::Dot(at), (middle - 4.5, middle + 4.5));
    }
    for (at, task_bar) in drawn.task_bars.iter().enumerate() {
        let spans = task_bar.spans.iter().enumerate();
        out.extend(spans.map(|(span, place)| (SheetPart::Span(at, span), (place.area.y, place.text.bottom()))));
    }
    out.extend(
        drawn.notes.iter().enumerate().map(|(at, note)| (SheetPart::Note(at), (note.text.y, note.text.bottom()))),
    );
    for (at, pause) in drawn.pauses.iter().enumerate() {
        let bottom = if pause.folded { pause.area.bottom() } else { pause.area.y + 32.0 };
        out.insert(SheetPart::Pause(at), (pause.area.y, bottom));
        let hours = pause.hours.iter().enumerate();
        out.extend(hours.map(|(hour, (_, y))| (SheetPart::Hour(at, hour), (y - 6.0, y + 4.0))));
    }
    out.extend(drawn.now.map(|y| (SheetPart::Now, (y - 6.0, y + 4.0))));
    out
}

/// On sheets of paper nothing is cut, nothing is missing, nothing appears twice, and no sheet is too small.
fn on_paper(flow: &Flow, drawn: &FlowLayout) {
    let wanted = parts(drawn);
    for paper in PAPERS {
        let on = sheets(flow, drawn, paper);
        let whole: BTreeSet<SheetPart> = on.list.iter().flat_map(|sheet| &sheet.parts).copied().collect();
        assert_eq!(on.list.iter().map(|sheet| sheet.parts.len()).sum::<usize>(), whole.len(), "nothing is drawn twice");
        assert!(whole.iter().eq(wanted.keys()), "everything is drawn");
        assert!(on.list.is_empty() || on.scale > 0.0 && on.scale <= 1.0, "{}", on.scale);
        assert!(drawn.width * on.scale <= paper.width + 1e-6, "{} on {paper:?}", drawn.width * on.scale);
        let mut ticks = 0;
        for sheet in &on.list {
            assert!((sheet.to - sheet.from + paper.heads) * on.scale <= paper.height + 1e-6, "{sheet:?} on {paper:?}");
            for part in &sheet.parts {
                let (top, bottom) = wanted[part];
                assert!(sheet.from <= top && bottom <= sheet.to, "{part:?} {top}-{bottom} on {sheet:?}");
            }
            assert_eq!(sheet.ticks.start, ticks, "the times go on");
            ticks = sheet.ticks.end;
            for tick in &drawn.ticks[sheet.ticks.clone()] {
                let top = tick.y as f64 - if tick.day { 32.0 } else { 12.0 };
                assert!(sheet.from <= top && tick.y as f64 <= sheet.to, "{tick:?} on {sheet:?}");
            }
        }
        assert_eq!(ticks, drawn.ticks.len(), "every time is drawn");
        for pair in on.list.windows(2) {
            let both = (pair[1].to.max(pair[0].to) - pair[0].from.min(pair[1].from) + paper.heads) * on.scale;
            assert!(both > paper.height - 1e-6, "two sheets for what has room on one: {pair:?}");
        }
        // In order of time, as in the drawing.
        let place = |part: &SheetPart| match *part {
            SheetPart::Arrow(at) => Some(drawn.arrows[at].y0),
            SheetPart::Branch(at) => Some(drawn.delegations[at].y0),
            SheetPart::Note(at) => Some(drawn.notes[at].y),
            _ => None,
        };
        let places: Vec<f64> = on.list.iter().flat_map(|sheet| &sheet.parts).filter_map(place).collect();
        assert!(places.is_sorted(), "{places:?}");
    }
}

fn holds(hub: &Hub, flow: &Flow) {
    for drawn in [folded(flow), unfolded(flow)] {
        drawn_once(hub, flow, &drawn);
        in_order(flow, &drawn);
        apart(flow, &drawn);
        upright(flow, &drawn);
        on_paper(flow, &drawn);
        assert!(minimap_rows(flow, &drawn, 300).iter().all(|row| row.row < 300 && row.from <= row.to && row.to <= 1.0));
    }
    let text = serde_json::to_string(flow).unwrap();
    assert_eq!(serde_json::from_str::<Flow>(&text).unwrap(), *flow, "the wire loses nothing");
}

#[test]
fn story_sessions_are_drawn_complete_ordered_separate() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut drawn = 0;
    for entry in std::fs::read_dir(fixtures).unwrap() {
        let entry = entry.unwrap();
        if !entry.path().join("logs").is_dir() {
            continue;
        }
        let hub = story(&entry.file_name().to_string_lossy());
        for id in sessions(&hub) {
            holds(&hub, &query::flow(&hub, NOW, &id).unwrap());
            drawn += 1;
        }
    }
    assert!(drawn > 100, "only {drawn} sessions");
}

/// One event of a random log, as a log line.
fn line(random: &(u8, u8, u8, u16, u8, u8)) -> impl Fn(i64) -> String + use<> {
    const TYPES: [&str; 16] = [
        "a2a.send",
        "a2a.send",
        "a2a.send",
        "a2a.response",
        "a2a.response",
        "a2a.complete",
        "a2a.retry",
        "a2a.spawn",
        "a2a.spawn_result",
        "a2a.auto_route",
        "task.started",
        "task.blocked",
        "task.resumed",
        "task.completed",
        "milestone.sync_failed",
        "something.new",
    ];
    const AGENTS: [&str; 7] = ["eden", "seum", "ruda", "dajim", "worker-quick", "unknown", "helper"];
    let (kind, from, to, _, key, more) = *random;
    let event_type = TYPES[kind as usize % TYPES.len()];
    let (from, to) = (AGENTS[from as usize % AGENTS.len()], AGENTS[to as usize % AGENTS.len()]);
    let (conversation, run, task) = (key % 3, key % 5, key % 4);
    let mut data = format!(
        r#""fromAgent":"{from}","toAgent":"{to}","message":"말 {key}","conversationId":"c{conversation}","workSessionId":"ws_1""#
    );
    if event_type.starts_with("a2a.spawn") || (event_type == "a2a.response" && more.is_multiple_of(3)) {
        let status = if more.is_multiple_of(2) { "accepted" } else { "error" };
        write!(data, r#","targetSessionKey":"agent:{to}:subagent:{run}","runId":"r{run}","status":"{status}""#)
            .unwrap();
        write!(data, r#","eventRole":"delegation.subagent","depth":{}"#, more % 2).unwrap();
    } else if event_type.starts_with("a2a.") && more.is_multiple_of(2) {
        data.push_str(r#","eventRole":"conversation.main""#);
    }
    if more.is_multiple_of(5) {
        write!(data, r#","turn":{},"maxTurns":3"#, more % 4 + 1).unwrap();
    }
    if more % 7 == 1 {
        data.push_str(r#","outcome":"no_reply","waitStatus":"timeout""#);
    }
    if event_type.starts_with("task.") || more.is_multiple_of(11) {
        write!(data, r#","taskId":"task_{task}""#).unwrap();
    }
    move |at| format!("{{\"type\":\"{event_type}\",\"agentId\":\"{from}\",\"ts\":{at},\"data\":{{{data}}}}}\n")
}

fn log(randoms: &[(u8, u8, u8, u16, u8, u8)]) -> Vec<Event> {
    let mut at = NOW - 40 * 3_600_000;
    let mut text = String::new();
    for random in randoms {
        // Mostly moments apart, now and then half a day; a few lines have no time, a few step back.
        at += match random.3 % 23 {
            0 => 12 * 3_600_000,
            1 => -90_000,
            2..5 => 0,
            far => i64::from(random.3) * i64::from(far),
        };
        text.push_str(&line(random)(if random.3 % 97 == 0 { 0 } else { at }));
    }
    parse_lines(text.as_bytes(), "f0", 0).0
}

fn hub(events: &[Event], batch: usize) -> Hub {
    let mut hub = Hub::new();
    let config = r#"{ agents: { list: [{id: "eden"}, {id: "seum"}, {id: "ruda"}] } }"#;
    hub.set_roster(Roster::parse(config, &mut |_| Err(String::new())).unwrap());
    for part in events.chunks(batch) {
        hub.apply(part.to_vec());
    }
    hub
}

/// The short form always draws the same logs, so that a change finds what it breaks; the long form draws new ones.
fn draws() -> ProptestConfig {
    use proptest::test_runner::RngSeed;

    let (cases, rng_seed) = match std::env::var_os("TASK_HUB_SOAK") {
        Some(_) => (20_000, RngSeed::Random),
        None => (96, RngSeed::Fixed(5)),
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(draws())]

    #[test]
    fn any_log_is_drawn_complete_ordered_separate(
        randoms in prop::collection::vec(any::<(u8, u8, u8, u16, u8, u8)>(), 1..90), batch in 1_usize..30,
    ) {
        let events = log(&randoms);
        let hub = hub(&events, batch);
        for id in sessions(&hub) {
            holds(&hub, &query::flow(&hub, NOW, &id).unwrap());
        }
    }

    #[test]
    fn invalid_lanes_and_times_are_still_drawn(
        randoms in prop::collection::vec(any::<(u8, u8, u8, u16, u8, u8)>(), 1..60),
        lanes in prop::collection::vec(prop_oneof![0..9_u32, any::<u32>()], 1..8),
        times in prop::collection::vec(prop_oneof![any::<i64>(), NOW - DAY_MS..NOW], 1..8),
        (lane_count, strange_times) in (0..4_usize, any::<bool>()),
    ) {
        let hub = hub(&log(&randoms), 9);
        for id in sessions(&hub) {
            let mut flow = query::flow(&hub, NOW, &id).unwrap();
            flow.lanes.truncate(lane_count);
            let (mut lanes, mut times) = (lanes.iter().cycle().copied(), times.iter().cycle().copied());
            let mut lane = |lane: &mut u32| *lane = lanes.next().unwrap();
            flow.arrows.iter_mut().for_each(|arrow| [&mut arrow.from, &mut arrow.to].into_iter().for_each(&mut lane));
            flow.delegations.iter_mut().for_each(|delegation| lane(&mut delegation.lane));
            flow.task_bars.iter_mut().for_each(|task_bar| lane(&mut task_bar.lane));
            flow.notes.iter_mut().for_each(|note| lane(&mut note.lane));
            if strange_times {
                flow.arrows.iter_mut().for_each(|arrow| arrow.at = times.next().unwrap());
                flow.delegations.iter_mut().for_each(|delegation| {
                    (delegation.start_time, delegation.end_time) = (times.next().unwrap(), times.next());
                });
                flow.task_bars.iter_mut().flat_map(|task_bar| &mut task_bar.spans).for_each(|span| span.from = times.next().unwrap());
                (flow.start_time, flow.end_time) = (times.next().unwrap(), times.next().unwrap());
            }
            for drawn in [folded(&flow), unfolded(&flow)] {
                apart(&flow, &drawn);
                on_paper(&flow, &drawn);
                let marks = flow.arrows.len() + flow.delegations.len() + flow.task_bars.iter().filter(|task_bar| !task_bar.spans.is_empty()).count() + flow.notes.len();
                prop_assert_eq!(drawn.stops.len(), marks, "nothing is left out");
                prop_assert!(minimap_rows(&flow, &drawn, 50).iter().all(|row| row.row < 50));
            }
        }
    }

    #[test]
    fn layout_is_independent_of_arrival_order(
        randoms in prop::collection::vec(any::<(u8, u8, u8, u16, u8, u8)>(), 1..40), cut in 0_usize..40,
    ) {
        let events = log(&randoms);
        let flows = |events: Vec<Event>| -> Vec<Flow> {
            let hub = hub(&events, 7);
            let flow = |id| Flow { cursor: Cursor::default(), ..query::flow(&hub, NOW, id).unwrap() };
            sessions(&hub).iter().map(flow).collect()
        };
        let mut turned = events.clone();
        turned.rotate_left(cut % events.len());
        prop_assert_eq!(flows(events), flows(turned));
    }
}

#[test]
fn human_message_starts_in_people_lane() {
    let message_line = |event_type: &str, from: &str, to: &str, at: i64, text: &str| {
        format!(
            r#"{{"type":"{event_type}","agentId":"{from}","ts":{at},"data":{{"fromAgent":"{from}","toAgent":"{to}","message":"{text}","conversationId":"c","workSessionId":"ws_1"}}}}"#
        ) + "\n"
    };
    let text = message_line("a2a.send", "eden", "seum", NOW - 9_000, "[Human Intervention] 멈춰 주세요")
        + &message_line("a2a.response", "seum", "eden", NOW - 5_000, "멈췄습니다");
    let flow =
        |text: &str| query::flow(&hub(&parse_lines(text.as_bytes(), "f0", 0).0, 9), NOW, &"ws_1".into()).unwrap();
    let drawn = flow(&text);
    let lanes: Vec<_> =
        drawn.lanes.iter().map(|lane| (lane.person, lane.agent.as_ref().map(|id| id.as_str()))).collect();
    assert_eq!(lanes, [(true, None), (false, Some("eden")), (false, Some("seum"))]);
    let ways: Vec<_> = drawn.arrows.iter().map(|arrow| (arrow.human, arrow.from, arrow.to)).collect();
    assert_eq!(ways, [(true, 0, 2), (false, 2, 1)]);
    assert!(!flow(&text.replace("[Human Intervention] ", "")).lanes.iter().any(|lane| lane.person));
}

#[test]
fn people_lane_reserves_label_width_on_demand() {
    let send = |from: &str, to: &str, at: i64, text: &str| {
        format!(
            r#"{{"type":"a2a.send","agentId":"{from}","ts":{at},"data":{{"fromAgent":"{from}","toAgent":"{to}","message":"{text}","conversationId":"c","workSessionId":"ws_1"}}}}"#
        ) + "\n"
    };
    let placed = |text: &str| {
        let hub = hub(&parse_lines(text.as_bytes(), "f0", 0).0, 9);
        let flow = query::flow(&hub, NOW, &"ws_1".into()).unwrap();
        let drawn = folded(&flow);
        holds(&hub, &flow);
        (drawn.lanes[1] - drawn.lanes[0], drawn.lanes[2] - drawn.lanes[1], drawn.arrows[1].text)
    };
    let before = send("eden", "seum", NOW - 9_000, "배포합니다");
    let (near, far, text) =
        placed(&(before.clone() + &send("eden", "seum", NOW - 5_000, "[Human Intervention] 멈춰 주세요")));
    assert!(near < 140.0 && far > 200.0 && text.width > 180.0, "{near} {far} {text:?}");
    let (near, ..) = placed(&(before + &send("seum", "eden", NOW - 5_000, "[Human Intervention] 멈춰 주세요")));
    assert!(near > 200.0, "a message to the lane beside people is drawn between the two: {near}");
}

#[test]
fn long_exchange_spans_sheets_with_time_labels() {
    let mut text = String::new();
    for number in 0..200_i64 {
        let (from, to) = if number % 2 == 0 { ("eden", "seum") } else { ("seum", "eden") };
        let kind = if number % 2 == 0 { "a2a.send" } else { "a2a.response" };
        let at = NOW - (200 - number) * 60_000;
        writeln!(
            text,
            r#"{{"type":"{kind}","agentId":"{from}","ts":{at},"data":{{"fromAgent":"{from}","toAgent":"{to}","message":"말 {number}","conversationId":"c","workSessionId":"ws_1"}}}}"#
        )
        .unwrap();
    }
    let flow = query::flow(&hub(&parse_lines(text.as_bytes(), "f0", 0).0, 50), NOW, &"ws_1".into()).unwrap();
    let drawn = folded(&flow);
    let on = sheets(&flow, &drawn, PAPERS[0]);
    assert!((on.scale - 1.0).abs() < 1e-9, "two lanes need not be made smaller");
    let least = drawn.height / (PAPERS[0].height - PAPERS[0].heads);
    assert!(on.list.len() as f64 > least && (on.list.len() as f64) < least * 1.3 + 1.0, "{} of {least}", on.list.len());
    for pair in on.list.windows(2) {
        assert!(pair[0].times.0 > 0 && pair[0].times.1 <= pair[1].times.0, "{:?} {:?}", pair[0].times, pair[1].times);
        assert!(!pair[1].ticks.is_empty(), "each sheet has times at its edge");
    }
}

#[test]
fn unfolding_pause_preserves_order() {
    let send = |at: i64| line(&(0, 0, 1, 1, 0, 2))(at);
    let hub = hub(&parse_lines((send(NOW - 2 * DAY_MS) + &send(NOW - DAY_MS)).as_bytes(), "f0", 0).0, 9);
    let flow = query::flow(&hub, NOW, &SessionId::from("ws_1")).unwrap();
    let (shut, open) = (folded(&flow), unfolded(&flow));
    assert_eq!((shut.pauses.len(), shut.pauses[0].to - shut.pauses[0].from), (1, DAY_MS));
    assert!(shut.pauses[0].to - shut.pauses[0].from >= MIN_FOLDED_PAUSE_MS);
    assert!(shut.pauses[0].folded && !open.pauses[0].folded && open.height > shut.height + 400.0);
    assert!(open.pauses[0].hours.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
}

/// The position of each part, in whole units.
fn picture(name: &str, part: &str, golden: &Expect) {
    let hub = story(name);
    let found = sessions(&hub).into_iter().find(|id| {
        let flow = query::flow(&hub, NOW, id).unwrap();
        flow.arrows.iter().any(|arrow| arrow.text.contains(part))
            || flow.delegations.iter().any(|delegation| delegation.text.contains(part))
    });
    let flow = query::flow(&hub, NOW, &found.unwrap()).unwrap();
    let drawn = folded(&flow);
    let names: Vec<&str> =
        flow.lanes.iter().map(|lane| lane.agent.as_ref().map_or("-", |agent| agent.as_str())).collect();
    let mut out = format!("{:.0} x {:.0}, lanes {names:?} at {:.0?}\n", drawn.width, drawn.height, drawn.lanes);
    let mut rows: Vec<(f64, String)> = Vec::new();
    for stop in &drawn.stops {
        let text = match stop.of {
            MarkRef::Arrow(at) => {
                let (arrow, place) = (&flow.arrows[at], drawn.arrows[at]);
                let state =
                    arrow.exchange.as_ref().map(|exchange| format!(" {:?}", exchange.state)).unwrap_or_default();
                let steps = arrow.steps.len();
                format!(
                    "{:?} {}>{}{state} +{steps} | {:.0} {:.0}",
                    arrow.kind, arrow.from, arrow.to, place.y0, place.text.x
                )
            }
            MarkRef::Delegation(at) => {
                let (delegation, place) = (&flow.delegations[at], drawn.delegations[at]);
                let (depth, orphan) = (delegation.depth, if delegation.orphan { " orphan" } else { "" });
                format!(
                    "delegation {} {} {:?} d{depth}{orphan} | {:.0}-{:.0} {:.0}",
                    delegation.lane, delegation.to, delegation.state, place.y0, place.y1, place.stem
                )
            }
            MarkRef::TaskBar(at) => {
                let spans = flow.task_bars[at].spans.iter().zip(&drawn.task_bars[at].spans);
                let spans: Vec<String> = spans
                    .map(|(span, at)| format!("{} {:.0}+{:.0}", span.status.as_str(), at.area.y, at.area.height))
                    .collect();
                format!("task_bar {} | {}", flow.task_bars[at].lane, spans.join(", "))
            }
            MarkRef::Note(at) => {
                format!("note {} {} | {:.0}", flow.notes[at].lane, flow.notes[at].event_type, drawn.notes[at].y)
            }
        };
        rows.push((stop.top, text));
    }
    for pause in &drawn.pauses {
        rows.push((pause.area.y, format!("pause {} min | {:.0}", (pause.to - pause.from) / 60_000, pause.area.y)));
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, text) in rows {
        writeln!(out, "{text}").unwrap();
    }
    golden.assert_eq(&out);
}

#[test]
fn one_request_split_over_three_and_gathered() {
    picture(
        "fan-out",
        "2월 장애 회고",
        &expect![[r#"
        1084 x 714, lanes ["ruda", "eden", "seum", "dajim"] at [161, 395, 629, 863]
        task_bar 0 | in_progress 44+652
        Request 0>1 Answered +1 | 106 182
        Request 0>2 Answered +1 | 146 182
        Request 0>3 Answered +1 | 186 182
        Answer 1>0 +0 | 226 182
        Turn 0>1 +0 | 282 182
        Answer 2>0 +0 | 318 416
        Turn 0>2 +0 | 358 182
        Turn 2>0 +0 | 398 416
        Answer 3>0 +0 | 434 650
        Turn 0>3 +0 | 474 182
        Request 0>1 Answered +1 | 530 182
        Answer 1>0 +0 | 570 182
        pause 290 min | 610
    "#]],
    );
}

#[test]
fn runs_that_return_fail_or_hang() {
    picture(
        "spawn",
        "",
        &expect![[r#"
        672 x 608, lanes ["eden", "ruda"] at [161, 451]
        task_bar 0 | in_progress 44+546
        Request 1>0 Answered +1 | 106 238
        Answer 0>1 +0 | 146 238
        delegation 0 worker-quick Succeeded d0 | 191-367 188
        delegation 0 worker-quick Succeeded d0 | 215-327 202
        delegation 0 explorer Succeeded d0 | 239-387 216
        delegation 0 worker-deep Failed d0 | 263-283 230
        delegation 0 worker-quick Succeeded d1 | 307-347 230
        delegation 0 worker-quick Failed d0 | 411-455 188
        delegation 0 worker-quick TimedOut d0 | 435-479 202
        delegation 0 worker-quick Running d0 | 503-590 188
        delegation 0 worker-quick Succeeded d0 orphan | 545-545 202
    "#]],
    );
}

#[test]
fn a_task_blocked_and_resumed() {
    picture(
        "blocked-task",
        "관세 환급",
        &expect![[r#"
        616 x 434, lanes ["onsae", "ieum"] at [161, 395]
        task_bar 0 | in_progress 44+138, blocked 182+138, in_progress 320+42, completed 362+0
        Request 0>1 Answered +1 | 106 182
        Answer 1>0 +0 | 146 182
        Request 0>1 Answered +1 | 244 182
        Answer 1>0 +0 | 284 182
    "#]],
    );
}

#[test]
fn no_reply_and_blocked() {
    picture(
        "trouble",
        "",
        &expect![[r#"
        1552 x 673, lanes ["seum", "dajim", "ruda", "hangyeol", "eden", "onsae"] at [161, 395, 629, 863, 1097, 1331]
        task_bar 0 | in_progress 44+611
        Request 0>1 NoReply +4 | 106 182
        Request 0>1 Answered +1 | 162 182
        Answer 1>0 +0 | 202 182
        Turn 0>1 +0 | 258 182
        Request 2>0 Blocked +2 | 294 416
        Request 0>3 NoReply +2 | 334 182
        Request 0>4 NoReply +2 | 390 182
        Request 2>5 NoReply +2 | 430 650
        Request 2>1 NoReply +1 | 453 416
        Request 0>4 Answered +2 | 489 182
        Answer 4>0 +0 | 529 884
        pause 41 min | 569
    "#]],
    );
}
