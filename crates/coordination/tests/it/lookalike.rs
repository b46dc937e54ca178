//! Tests of the detection of look-alike names. In the names of sample agents, every substitution of one character that
//! Unicode TS39 lists is flagged; a list of honest names is not. With `TASK_HUB_BLESS=1`, the tests rewrite the
//! detector's character table from the crate `unicode-security`.
//!
//! Proves (text): Every single-character substitution of Unicode TS39 in an agent's name is flagged.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use coordination::api::AgentSummary;
use coordination::event::parse_lines;
use coordination::hangul::syllable::decompose;
use coordination::hub::Hub;
use coordination::ids::AgentId;
use coordination::query;
use coordination::roster::Roster;
use coordination::text::hidden;
use coordination::text::lookalike::{Faces, skeleton};

/// The agents of the contract's examples and of our stories, with their display names.
const AGENTS: &[(&str, &str)] = &[
    ("ruda", "루다"),
    ("eden", "이든"),
    ("seum", "세움"),
    ("dajim", "다짐"),
    ("yunseul", "윤슬"),
    ("hangyeol", "한결"),
    ("nuri", "누리"),
    ("onsae", "온새"),
    ("ieum", "이음"),
    ("miri", "미리"),
    ("grim", "그림"),
    ("main", "main"),
    ("worker-quick", "worker-quick"),
    ("explorer", "explorer"),
    ("worker-deep", "worker-deep"),
];

/// Ids that were seen and are honest.
const HONEST: &[&str] = &[
    "worker-1",
    "worker-2",
    "worker",
    "edén",
    "eden-2",
    "dana",
    "miro",
    "iris",
    "nari",
    "루나",
    "이든이",
    "다짐이",
    "cron",
    "system",
    "discord",
    "codex",
    "claude",
    "gpt-5",
    "user",
    "김철수",
    "ruda-test",
    "mainframe",
    "explorer-2",
    "한별",
    "누비",
];

/// The skeleton of TS39 by the tables we check against.
fn theirs(text: &str) -> String {
    unicode_security::confusable_detection::skeleton(text).collect()
}

/// Letters of modern Hangul, as names are taken apart to.
fn jamo() -> impl Iterator<Item = char> {
    ('\u{1100}'..='\u{1112}').chain('\u{1161}'..='\u{1175}').chain('\u{11a8}'..='\u{11c2}')
}

/// What the table must hold: every character that TS39 takes for ASCII, or for what letters of Hangul look like.
fn wanted() -> BTreeMap<char, String> {
    let of_hangul: BTreeSet<char> = jamo().flat_map(|c| theirs(&c.to_string()).chars().collect::<Vec<_>>()).collect();
    let mut out = BTreeMap::new();
    for c in '\0'..=char::MAX {
        let look = theirs(&c.to_string());
        let known = !look.is_empty() && look.chars().all(|c| c.is_ascii() || of_hangul.contains(&c));
        // Syllables are taken apart by arithmetic, hidden characters are dropped before.
        if known && look != c.to_string() && !('\u{ac00}'..='\u{d7a3}').contains(&c) && !hidden::is_hidden(c) {
            out.insert(c, look);
        }
    }
    // Ids are lowercased when a log is read: the lowercase form of a lookalike needs the same entry.
    for (c, look) in out.clone() {
        let mut small = c.to_lowercase();
        if let (Some(small), None) = (small.next(), small.next())
            && theirs(&small.to_string()) == small.to_string()
            && !small.is_ascii()
        {
            out.entry(small).or_insert(look.to_lowercase());
        }
    }
    out
}

fn number(value: u32, out: &mut Vec<u8>) {
    let groups: Vec<u8> = (0..5).rev().map(|group| u8::try_from((value >> (7 * group)) & 0x7f).unwrap()).collect();
    let first = groups.iter().position(|group| *group > 0).unwrap_or(4);
    for (at, group) in groups.iter().enumerate().skip(first) {
        out.push(if at < 4 { group | 0x80 } else { *group });
    }
}

#[test]
fn the_table_is_that_of_the_standard() {
    let (mut bytes, mut before) = (Vec::new(), 0);
    let wanted = wanted();
    for (c, look) in &wanted {
        number(u32::from(*c) - before, &mut bytes);
        number(u32::try_from(look.len()).unwrap(), &mut bytes);
        bytes.extend(look.as_bytes());
        before = u32::from(*c);
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../message-text/src/lookalike/table.bin");
    if std::env::var_os("TASK_HUB_BLESS").is_some() {
        std::fs::write(&file, &bytes).unwrap();
    }
    assert!(std::fs::read(&file).unwrap() == bytes, "the table differs: TASK_HUB_BLESS=1 regenerates it");
    println!("{} characters in {} bytes", wanted.len(), bytes.len());
    assert!(wanted.len() > 1_500);
    for (c, look) in &wanted {
        assert_eq!(skeleton(&format!("x{c}x")), format!("x{}x", look.replace('"', "\'\'")), "{c:?}");
    }
    for text in ["eden", "이든", "윤슬", "worker-quick", "MAIN", "rnain", "l0l1I|"] {
        assert_eq!(skeleton(text), theirs(text), "{text}");
    }
}

fn faces() -> Faces {
    let mut faces = Faces::default();
    for (id, name) in AGENTS {
        faces.add(&AgentId::from(*id), name, true);
    }
    faces
}

/// Every other character that looks the same, by the standard.
fn doubles() -> BTreeMap<String, Vec<char>> {
    let mut out: BTreeMap<String, Vec<char>> = BTreeMap::new();
    for c in '\0'..=char::MAX {
        let look = theirs(&c.to_string());
        if !look.is_empty() {
            out.entry(look).or_default().push(c);
        }
    }
    out
}

/// A name's syllables taken apart, so that their letters can be exchanged.
fn apart(name: &str) -> Vec<char> {
    let mut out = Vec::new();
    for c in name.chars() {
        match decompose(c) {
            Some(letters) => out.extend(letters.into_iter().flatten()),
            None => out.push(c),
        }
    }
    out
}

#[test]
fn substitutions_are_flagged_honest_names_are_not() {
    let (faces, doubles) = (faces(), doubles());
    let (mut tried, mut missed) = (0, Vec::new());
    for (id, name) in AGENTS {
        for written in [id.chars().collect(), name.chars().collect(), apart(name)] as [Vec<char>; 3] {
            for at in 0..written.len() {
                for double in doubles.get(&theirs(&written[at].to_string())).into_iter().flatten() {
                    let mut other = written.clone();
                    other[at] = *double;
                    let other: String = other.into_iter().collect();
                    if AGENTS.iter().any(|(id, _)| *id == other) {
                        continue;
                    }
                    tried += 1;
                    // As the log's reader takes it, and as written.
                    for seen in [other.to_lowercase(), other.clone()] {
                        if faces.imitated(&AgentId::from(seen.as_str())).is_none() {
                            missed.push(format!("{seen} ({:?}) for {id}", double));
                        }
                    }
                }
            }
        }
    }
    println!("{tried} substitutions of {} names, {} missed", AGENTS.len(), missed.len());
    assert!(
        tried > 5_000 && missed.is_empty(),
        "{} of {tried} missed: {:?}",
        missed.len(),
        &missed[..missed.len().min(40)]
    );
    for (id, _) in AGENTS {
        assert_eq!(faces.imitated(&AgentId::from(*id)), None, "{id}");
    }
    for id in HONEST {
        assert_eq!(faces.imitated(&AgentId::from(*id)), None, "{id}");
    }
    for hidden in [
        "ed\u{200b}en",
        "\u{202e}eden",
        "ede\u{e0041}n",
        " eden",
        "e\u{ad}den",
        "EDEN",
        "rnain",
        "이\u{3164}든",
        "ｅden",
    ] {
        assert!(faces.imitated(&AgentId::from(hidden)).is_some(), "{hidden:?}");
    }
    // However much it hides, a name looks like what it shows.
    for count in [61, 5_000] {
        for hidden in ["\u{200b}", "\u{e0041}", "\u{202e}\u{200d}"] {
            let hidden = hidden.repeat(count);
            for other in
                [format!("eden{hidden}"), format!("{hidden}이든"), format!("ed{hidden}en"), format!(" {hidden} eden")]
            {
                assert_eq!(faces.imitated(&AgentId::from(other.as_str())), Some(&AgentId::from("eden")), "{count}");
            }
        }
    }
    assert_eq!(faces.imitated(&AgentId::from("eden".repeat(17).as_str())), None, "more than 64 characters that show");
}

#[test]
fn copied_name_is_flagged_on_later_agent() {
    let known = |list: &[(&str, &str, bool)]| {
        let mut faces = Faces::default();
        list.iter().for_each(|(id, name, given)| faces.add(&AgentId::from(*id), name, *given));
        list.iter().map(|(id, ..)| faces.imitated(&AgentId::from(*id)).map(|id| id.to_string())).collect::<Vec<_>>()
    };
    let eden = Some("eden".to_owned());
    // Its folder's card says so, in the same letters or in similar ones; the order does not matter.
    assert_eq!(known(&[("eden", "이든", true), ("x", "이든", false)]), [None, eden.clone()]);
    assert_eq!(known(&[("x", "이든", false), ("eden", "이든", true)]), [eden.clone(), None]);
    assert_eq!(known(&[("eden", "Eden", true), ("x", "Еdеn", true)]), [None, eden.clone()]);
    assert_eq!(known(&[("eden", "이든", true), ("x", "еden", true)]), [None, eden]);
    // The operator may call two agents the same; an id is its bearer's own.
    assert_eq!(known(&[("a", "일꾼", true), ("b", "일꾼", true)]), [None, None]);
    assert_eq!(known(&[("a", "b", false), ("b", "b", false)]), [Some("b".to_owned()), None]);
}

#[test]
fn an_answer_says_who_imitates_whom() {
    let config = r#"{ agents: { list: [
        { id: "ruda", default: true, identity: { name: "루다" } }, { id: "eden", identity: { name: "이든" } },
    ] } }"#;
    let line = |from: &str, at: i64| {
        format!(
            r#"{{"type":"a2a.send","agentId":"{from}","ts":{at},"data":{{"fromAgent":"{from}","toAgent":"ruda","message":"hi","conversationId":"c"}}}}"#
        )
    };
    let log =
        ["eden", "ed\u{435}n", "someone"].iter().zip(1..).map(|(from, at)| line(from, 1_771_000_000_000 + at) + "\n");
    let mut hub = Hub::new();
    hub.set_roster(Roster::parse(config, &mut |_| Err(String::new())).unwrap());
    hub.apply(parse_lines(log.collect::<String>().as_bytes(), "f", 0).0);
    let agents = query::home(&hub, 1_771_000_100_000).agents;
    let summary_of = |id: &str| agents.iter().find(|agent| agent.id.as_str() == id).unwrap();
    assert_eq!(summary_of("ed\u{435}n").imitates, Some(AgentId::from("eden")));
    assert_eq!((&summary_of("eden").imitates, &summary_of("someone").imitates), (&None, &None));
    let wire = serde_json::to_string(summary_of("ed\u{435}n")).unwrap();
    assert!(wire.contains(r#""imitates":"eden""#), "{wire}");
    assert_eq!(serde_json::from_str::<AgentSummary>(&wire).unwrap().imitates, Some(AgentId::from("eden")));
}
