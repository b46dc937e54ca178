//! Live writer of a demo home (OpenClaw state folder). It replays up to three recorded work sessions at a time: their
//! events are appended to the log, at a steady rate or with random pauses of seconds.

use std::thread::sleep;

use serde_json::json;

use super::log::LogWriter;
use super::random::DemoRandom;
use super::script::{Playing, Scene, scenes};
use super::{DemoPlan, RehearseError, embedded, pause};

/// Scenes played side by side.
const MAX_SCENES: usize = 3;

/// Appends until the process ends or the folder is gone.
pub(super) fn run(plan: &DemoPlan, now_ms: &dyn Fn() -> i64) -> Result<(), RehearseError> {
    let scenes = scenes();
    let mut log = LogWriter::open(&plan.folder)?;
    // Another seed than that of the history: ids must not repeat when a home is followed again.
    let mut random = DemoRandom::new(plan.seed ^ u64::try_from(now_ms()).unwrap_or_default());
    let mut stages: Vec<Option<SceneProgress>> = (0..MAX_SCENES).map(|_| None).collect();
    let mut opening = plan.demo;
    loop {
        let wait = match plan.rate {
            Some(rate) => 1.0 / rate,
            None => 2.0 + f64::from(u32::try_from(random.below(90)).unwrap_or(0)) / 10.0,
        };
        sleep(pause(wait));
        let now = now_ms();
        if !plan.folder.is_dir() {
            return Ok(());
        }
        if std::mem::take(&mut opening)
            && let Some(answer) = answer_of_seum(now)
        {
            log.append(now, &answer)?;
            log.flush()?;
            continue;
        }
        let at = random.below(MAX_SCENES);
        let stage = stages[at].get_or_insert_with(|| SceneProgress::new(&mut random, &scenes));
        let line = stage.next(&scenes, now);
        if stage.over(&scenes) {
            stages[at] = None;
        }
        if let Some(line) = line {
            log.append(now, &line)?;
            log.flush()?;
        }
    }
}

struct SceneProgress {
    scene: usize,
    step: usize,
    playing: Playing,
}

impl SceneProgress {
    fn new(random: &mut DemoRandom, scenes: &[Scene]) -> Self {
        Self { scene: random.below(scenes.len()), step: 0, playing: Playing::new(random.next()) }
    }

    fn next(&mut self, scenes: &[Scene], now: i64) -> Option<String> {
        let (_, event) = scenes.get(self.scene)?.steps.get(self.step)?;
        self.step += 1;
        Some(self.playing.perform(event, now).to_string())
    }

    fn over(&self, scenes: &[Scene]) -> bool {
        scenes.get(self.scene).is_none_or(|scene| self.step >= scene.steps.len())
    }
}

/// The demo opens with the answer that the release session has been waiting for.
fn answer_of_seum(now: i64) -> Option<String> {
    let (_, log) = embedded::everything().iter().find(|(path, _)| *path == "logs/coordination-events.ndjson")?;
    let line = log.lines().rev().find(|line| line.contains("\"a2a.send\"") && line.contains("큐 길이만이라도"))?;
    let parsed: serde_json::Value = serde_json::from_str(line).ok()?;
    let data = parsed.get("data")?;
    let text = "큐 길이는 blue 3건, green 5건입니다. 적체는 없습니다. 100% 전환을 이어가도 됩니다.";
    let answer = json!({
        "type": "a2a.response",
        "agentId": data.get("toAgent")?,
        "ts": now,
        "data": {
            "fromAgent": data.get("toAgent")?,
            "toAgent": data.get("fromAgent")?,
            "message": text,
            "replyPreview": text,
            "conversationId": data.get("conversationId")?,
            "eventRole": "conversation.main",
            "fromSessionType": "unknown",
            "toSessionType": "main",
            "taskId": data.get("taskId")?,
            "workSessionId": data.get("workSessionId")?,
        },
    });
    Some(answer.to_string())
}
