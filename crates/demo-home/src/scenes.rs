//! Generator of a home (OpenClaw state folder) of a given size: configuration, identities, a log in time order and task
//! files. The log consists of scenes (work sessions of the fixture, `script.rs`) that start at random times, mostly on
//! working days.

use std::collections::HashMap;
use std::fs;

use super::log::LogWriter;
use super::random::DemoRandom;
use super::script::{Playing, scenes};
use super::tasks::DemoTasks;
use super::{DemoPlan, RehearseError, embedded};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// About what eleven agents write on a day.
const EVENTS_A_DAY: usize = 400;
/// Working hours are those of Seoul.
const SEOUL_MS: i64 = 9 * HOUR_MS;

/// One event to come: when, in which playing, which step of its scene.
#[derive(Debug, Clone, Copy)]
struct Cue {
    at: i64,
    playing: u32,
    step: u32,
}

/// Writes configuration, identities, log and task files.
pub(super) fn write(plan: &DemoPlan, end: i64) -> Result<(), RehearseError> {
    for (below, text) in embedded::everything() {
        let wanted = ["openclaw.json", "agents.json5"].contains(below) || below.ends_with("/IDENTITY.md");
        if wanted {
            let path = plan.folder.join(below);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(RehearseError::write(parent))?;
            }
            fs::write(&path, text).map_err(RehearseError::write(&path))?;
        }
    }
    let scenes = scenes();
    let mut random = DemoRandom::new(plan.seed);
    let mut chosen = Vec::new();
    let mut cues: Vec<Cue> = Vec::new();
    let days = i64::try_from(plan.events.div_ceil(EVENTS_A_DAY)).unwrap_or(i64::MAX).clamp(1, 400);
    // A tenth more than requested: the newest are used, so that the log begins in the middle of scenes.
    while cues.len() < plan.events + plan.events / 10 + 40 && !scenes.is_empty() {
        let scene = random.below(scenes.len());
        let start = start(&mut random, end, days);
        let playing = u32::try_from(chosen.len()).unwrap_or(u32::MAX);
        let steps = scenes[scene].steps.iter().zip(0_u32..);
        cues.extend(
            steps.map(|((after, _), step)| Cue { at: start + after, playing, step }).filter(|cue| cue.at <= end),
        );
        chosen.push(scene);
    }
    cues.sort_by_key(|cue| (cue.at, cue.playing, cue.step));
    let cues = &cues[cues.len().saturating_sub(plan.events)..];
    let mut log = LogWriter::open(&plan.folder)?;
    let mut tasks = DemoTasks::default();
    let mut playings: HashMap<u32, Playing> = HashMap::new();
    for cue in cues {
        let scene = &scenes[chosen[cue.playing as usize]];
        let seed = plan.seed ^ (u64::from(cue.playing) + 1).wrapping_mul(0x2545_F491_4F6C_DD1D);
        let playing = playings.entry(cue.playing).or_insert_with(|| Playing::new(seed));
        let event = playing.perform(&scene.steps[cue.step as usize].1, cue.at);
        log.append(cue.at, &event.to_string())?;
        tasks.see(&event, cue.at);
        if cue.step as usize + 1 == scene.steps.len() {
            playings.remove(&cue.playing);
        }
    }
    log.flush()?;
    tasks.write(&plan.folder)
}

/// A moment on a working day, few on week-ends; every tenth within the last two hours, so that some scenes are active.
fn start(random: &mut DemoRandom, end: i64, days: i64) -> i64 {
    if days > 1 && !random.chance(10) {
        let day = (end + SEOUL_MS).div_euclid(DAY_MS) - random.in_range(0, days);
        let weekend = matches!((day + 3).rem_euclid(7), 5 | 6);
        if !weekend || random.chance(25) {
            let clock = 9 * HOUR_MS + random.in_range(0, 5 * HOUR_MS) + random.in_range(0, 5 * HOUR_MS);
            return day * DAY_MS - SEOUL_MS + clock;
        }
    }
    if random.chance(if days > 1 { 2 } else { 30 }) {
        end - random.in_range(0, 2 * HOUR_MS)
    } else {
        end - random.in_range(0, days * DAY_MS)
    }
}
