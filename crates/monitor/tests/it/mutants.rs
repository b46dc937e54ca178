//! Tests of damaged lines between good ones. Nothing panics, and every good line is delivered. Every bad line is
//! counted with file, offset and reason. Records that are joined to incomplete lines are recovered.
//!
//! Proves (log): Damaged lines do not affect the lines around them. Each is counted with file, offset and reason.
//! Records that are joined to a torn line are recovered.
//! Long form: `make soak ARGS=mutants`.

use crate::world::random;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write as _;

use random::WorldRandom;
use task_monitor::home::HomeDir;
use task_monitor::sources::tail::Follower;

const LIVE: &str = "coordination-events.ndjson";
const MEBIBYTE: usize = 1024 * 1024;

/// A record with a conversation of its own, by which it is known again.
fn record(name: &str, extra: &str) -> String {
    format!(
        "{{\"type\":\"a2a.send\",\"agentId\":\"eden\",\"ts\":1771294860000,\"data\":{{\"conversationId\":\"{name}\",\"message\":\"결제 🚀 점검 부탁해요\"{extra}}}}}"
    )
}

/// What must become of the bytes of one line.
#[derive(Default)]
struct Expected {
    /// Offset of each record in the line, and its conversation.
    records: Vec<(u64, String)>,
    bad: bool,
    /// A record follows a torn one on its line.
    glued: bool,
    /// Taken or counted, as the reader likes; never both, never neither.
    either: bool,
}

fn taken(name: &str) -> Expected {
    Expected { records: vec![(0, name.to_owned())], ..Expected::default() }
}

fn bad() -> Expected {
    Expected { bad: true, ..Expected::default() }
}

fn mutant(random: &mut WorldRandom, name: &str) -> (Vec<u8>, Expected) {
    let good = record(name, "");
    let cut = 1 + random.below(good.len() - 1);
    let torn = &good.as_bytes()[..cut];
    match random.below(24) {
        0 => (torn.to_vec(), bad()),
        1 => (good.replacen(':', " ", 1 + random.below(4)).into_bytes(), bad()),
        2 => {
            let nuls = 1 + random.below(3000);
            let expected =
                Expected { records: vec![(nuls as u64, name.to_owned())], bad: true, glued: true, either: false };
            ([vec![0; nuls], good.into_bytes()].concat(), expected)
        }
        3 => (vec![0; 1 + random.below(9000)], bad()),
        4 => {
            let at = good.find("결").expect("it is there");
            let mut bytes = good.into_bytes();
            bytes[at] = [0xff, 0xc0, 0x80, 0xed][random.below(4)];
            (bytes, taken(name))
        }
        5 => {
            let deep = format!(",\"deep\":{}{}", "[".repeat(10_000), "]".repeat(10_000));
            (record(name, &deep).into_bytes(), Expected { either: true, ..taken(name) })
        }
        6 => (record(name, ",\"message\":\"1\",\"message\":\"2\"").into_bytes(), taken(name)),
        7 => (record(name, ",\"__proto__\":{\"x\":1},\"constructor\":null").into_bytes(), taken(name)),
        8 => {
            let huge = format!(",\"turn\":1e999,\"depth\":{}", "9".repeat(400));
            (record(name, &huge).into_bytes(), Expected { either: true, ..taken(name) })
        }
        9 => {
            let times = ["1771294860", "-5", "99999999999999999", "0", "\"1771294860000\"", "null", "1.5e12", "[1]"];
            (good.replace("1771294860000", times[random.below(times.len())]).into_bytes(), taken(name))
        }
        10 => ([b"\xef\xbb\xbf", good.as_bytes()].concat(), taken(name)),
        11 => (format!("{good}\r").into_bytes(), taken(name)),
        12 => (good.replace("점검", "\\ud83d").into_bytes(), taken(name)),
        13 => (["[1]", "7", "null", "\"text\"", "true"][random.below(5)].into(), bad()),
        14 => {
            (good.replace("\"a2a.send\"", ["\"\"", "\"  \"", "4", "null", "{}"][random.below(5)]).into_bytes(), bad())
        }
        15 => (good.replace("\"type\"", "\"typ\"").into_bytes(), bad()),
        16 => ([" ", "\t \r", ""][random.below(3)].into(), Expected::default()),
        17 if random.one_in(40) => {
            (record(name, &format!(",\"long\":\"{}\"", "x".repeat(5 * MEBIBYTE))).into_bytes(), bad())
        }
        18 if random.one_in(40) => {
            let long = record(name, &format!(",\"long\":\"{}", "x".repeat(2 * MEBIBYTE)));
            let at = (long.len() - 3) as u64;
            let bytes = [&long.as_bytes()[..long.len() - 3], record(&format!("{name}b"), "").as_bytes()].concat();
            (bytes, Expected { records: vec![(at, format!("{name}b"))], bad: true, glued: true, either: false })
        }
        19 => {
            let second = record(&format!("{name}b"), "");
            let records = vec![(0, name.to_owned()), (good.len() as u64, format!("{name}b"))];
            (format!("{good}{second}").into_bytes(), Expected { records, ..Expected::default() })
        }
        20 => {
            let parts = "{\"type\":\"text\",\"text\":\"x\"},".repeat(random.below(60));
            let long = record(name, &format!(",\"content\":[{parts}{{\"type\":\"text\"}}],\"z\":1"));
            let torn = &long.as_bytes()[..long.len() - 1 - random.below(40)];
            let second = record(&format!("{name}b"), "");
            let records = vec![(torn.len() as u64, format!("{name}b"))];
            let expected = Expected { records, bad: true, glued: true, either: false };
            ([torn, second.as_bytes()].concat(), expected)
        }
        _ => {
            let second = record(&format!("{name}b"), "");
            let records = vec![(cut as u64, format!("{name}b"))];
            ([torn, second.as_bytes()].concat(), Expected { records, bad: true, glued: true, either: false })
        }
    }
}

#[test]
fn mutated_lines_never_cost_a_good_one() {
    let mutants = if std::env::var_os("TASK_HUB_SOAK").is_some() { 100_000 } else { 5_000 };
    let seed = std::env::var("TASK_HUB_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = WorldRandom(seed);
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("logs")).expect("a folder");
    let mut file = File::create(folder.path().join("logs").join(LIVE)).expect("a log");
    let mut follower = Follower::new(HomeDir::new(folder.path()));
    let (mut given, mut counted) = (BTreeMap::new(), BTreeSet::new());
    let mut look = |given: &mut BTreeMap<u64, String>, counted: &mut BTreeSet<u64>| {
        follower.look(1, &mut |block| {
            let chunk = block.parse();
            for event in chunk.events {
                let offset =
                    event.id().as_str().rsplit_once('-').and_then(|(_, at)| at.parse().ok()).expect("an offset");
                let name = event.conversation_id().unwrap_or_default().to_owned();
                assert!(given.insert(offset, name).is_none(), "seed {seed}: twice at {offset}");
            }
            for line in chunk.bad {
                assert!(line.file == LIVE && !line.reason.is_empty() && line.sample.chars().count() <= 200, "{line:?}");
                assert!(counted.insert(line.offset), "seed {seed}: counted twice at {}", line.offset);
            }
        });
    };
    let (mut at, mut good, mut bad, mut glued, mut recovered) = (0_u64, 0, 0, 0, 0);
    for number in 0..mutants {
        let neighbour = record(&format!("good{number}"), "");
        let (mutant, expected) = mutant(&mut random, &format!("m{number}"));
        let lines = [neighbour.as_bytes(), b"\n", mutant.as_slice(), b"\n"].concat();
        // Lines arrive as they may: now and then a look falls between two pieces.
        let cut = random.below(lines.len());
        file.write_all(&lines[..cut]).expect("a write");
        if random.one_in(10) {
            look(&mut given, &mut counted);
        }
        file.write_all(&lines[cut..]).expect("a write");
        look(&mut given, &mut counted);
        assert_eq!(given.get(&at), Some(&format!("good{number}")), "seed {seed}: the good line at {at}");
        good += 1;
        let line = at + neighbour.len() as u64 + 1;
        let is_counted = counted.contains(&line);
        let found = |(offset, name): &(u64, String)| given.get(&(line + offset)) == Some(name);
        let sample = String::from_utf8_lossy(&mutant[..mutant.len().min(300)]).into_owned();
        if expected.either {
            assert_ne!(expected.records.iter().all(found), is_counted, "seed {seed}: line {line}: {sample}");
        } else if expected.glued {
            (glued, bad) = (glued + 1, bad + 1);
            recovered += usize::from(expected.records.iter().all(found));
            assert!(is_counted, "seed {seed}: the torn line {line} is counted: {sample}");
        } else {
            bad += usize::from(expected.bad);
            assert!(expected.records.iter().all(found), "seed {seed}: line {line} is taken: {sample}");
            assert_eq!(is_counted, expected.bad, "seed {seed}: line {line} is counted: {sample}");
            assert_eq!(given.range(line..at + lines.len() as u64).count(), expected.records.len(), "{sample}");
        }
        at += lines.len() as u64;
    }
    println!(
        "{mutants} mutants: {good} good neighbours delivered, {bad} bad lines counted, {recovered} of {glued} glued records recovered"
    );
    assert!(recovered * 100 >= glued * 99, "seed {seed}: {recovered} of {glued} glued records recovered");
}
