//! Simulated log writer on a real folder, with a model of the lines that the log follower (`sources::tail`) must have
//! read. The model knows the written bytes and their locations on disk. It shares no code with the log follower.

mod history;
pub(crate) mod random;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::PathBuf;

use history::WorldHistory;
use random::WorldRandom;
use writer::WorldWriter;

pub(crate) const LIVE: &str = "coordination-events.ndjson";

/// The place of a history, or of the first part of one.
pub(crate) struct WorldPlace {
    /// None when no directory entry leads to it any more.
    pub(crate) name: Option<String>,
    pub(crate) history: usize,
    len: u64,
    /// A look found it, so a reader may hold it open.
    known: bool,
}

/// Everything the reader was to give, as sequences of (offset, number), one a file.
pub(crate) type Sequences = Vec<Vec<(u64, i64)>>;

pub(crate) struct World {
    pub(crate) folder: PathBuf,
    pub(crate) random: WorldRandom,
    histories: Vec<WorldHistory>,
    pub(crate) places: Vec<WorldPlace>,
    writer: WorldWriter,
    /// The writer before the last rotation, which may still have to flush.
    old: WorldWriter,
    backups: Vec<(usize, u64, Vec<u8>)>,
    archives: usize,
    pub(crate) log: Vec<String>,
    /// A file was cut in the middle: a reader can recognise the rest only before it has grown again.
    pub(crate) look_due: bool,
    postponed: Option<usize>,
}

impl World {
    pub(crate) fn new(home: &std::path::Path, seed: u64) -> Self {
        let folder = home.join("logs");
        fs::create_dir_all(&folder).expect("a folder");
        Self {
            folder,
            random: WorldRandom(seed),
            histories: Vec::new(),
            places: Vec::new(),
            writer: WorldWriter::new(1),
            old: WorldWriter::new(0),
            backups: Vec::new(),
            archives: 0,
            log: Vec::new(),
            look_due: false,
            postponed: None,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.places.iter().position(|place| place.name.as_deref() == Some(name))
    }

    /// The place of the live file, made if there is none.
    fn live(&mut self) -> usize {
        self.place_of(LIVE).unwrap_or_else(|| {
            self.histories.push(WorldHistory::default());
            let place =
                WorldPlace { name: Some(LIVE.to_owned()), history: self.histories.len() - 1, len: 0, known: false };
            self.places.push(place);
            self.places.len() - 1
        })
    }

    /// Lets the writer act on its file; a change of the history holds for the place.
    fn write(&mut self, act: impl FnOnce(&mut WorldWriter, &mut WorldHistory, &mut WorldRandom)) {
        if self.writer.place.is_none() {
            let place = self.live();
            let file = File::options().create(true).append(true).open(self.path(LIVE)).expect("the live file opens");
            self.writer.open(file, place);
        }
        let place = &mut self.places[self.writer.place.expect("it is open")];
        let history = &mut self.histories[place.history];
        act(&mut self.writer, history, &mut self.random);
        place.len = history.len;
    }

    fn flush_old(&mut self) {
        if let Some(place) = self.old.place {
            let place = &mut self.places[place];
            let history = &mut self.histories[place.history];
            self.old.flush(history);
            place.len = history.len;
        }
    }

    fn rename_live(&mut self, name: &str) {
        let Some(live) = self.place_of(LIVE) else { return };
        if let Some(overwritten) = self.place_of(name) {
            self.places[overwritten].name = None;
        }
        fs::rename(self.path(LIVE), self.path(name)).expect("a rename");
        self.places[live].name = Some(name.to_owned());
        self.note(&format!("#{} to {name}", self.places[live].history));
        self.leave_live();
    }

    /// The writer begins a new file; its buffered bytes for the old one may come late.
    fn leave_live(&mut self) {
        self.flush_old();
        // Both continue to write, each with numbers of its own.
        let number = self.writer.number + 1000;
        self.old = std::mem::replace(&mut self.writer, WorldWriter::new(number));
    }

    fn archive_name(&mut self) -> String {
        self.archives += 1;
        format!("coordination-events-2026-02-21T03-14-15-{:03}Z.ndjson", self.archives)
    }

    /// Notes a step, for the message of a failure.
    fn note(&mut self, what: &str) {
        if let Some(step) = self.log.last_mut() {
            step.push_str(&format!("({what})"));
        }
    }

    /// Puts a copy of the first `len` bytes of a history at a new name.
    fn put(&mut self, history: usize, len: u64, bytes: &[u8]) {
        let name = self.archive_name();
        fs::write(self.path(&name), bytes).expect("a copy");
        self.note(&format!("copy {len} of #{history} to {name}"));
        self.places.push(WorldPlace { name: Some(name), history, len, known: false });
    }

    fn some_file(&mut self) -> Option<usize> {
        let named: Vec<usize> = (0..self.places.len()).filter(|place| self.places[*place].name.is_some()).collect();
        (!named.is_empty()).then(|| named[self.random.below(named.len())])
    }

    fn truncate_live(&mut self, size: u64) {
        let Some(live) = self.place_of(LIVE) else { return };
        File::options().write(true).open(self.path(LIVE)).expect("it opens").set_len(size).expect("a truncation");
        self.places[live].len = size;
        self.note(&format!("#{} cut at {size}", self.places[live].history));
        let history = &mut self.histories[self.places[live].history];
        if size < history.read_to() || size == 0 {
            // Nothing leads to the cut-off bytes, unless a copy is elsewhere.
            let left = history.cut(size);
            self.histories.push(left);
            self.look_due = size > 0;
            self.places[live].history = self.histories.len() - 1;
        } else {
            // Only what no reader has taken was cut off.
            history.cut_unread(size);
        }
    }

    /// Does the next step of the seed. With `careful`, postpones a destroying step to [`World::finish_step`]: true
    /// then, because only a look taken before can have seen the bytes.
    pub(crate) fn step(&mut self, careful: bool) -> bool {
        let choice = self.random.below(100);
        let destructive = matches!(choice, 46..=51 | 62..=76 | 84..=87);
        if careful && destructive {
            // Buffered bytes must not arrive between the look and the destroying step.
            self.flush_old();
            if self.writer.place.is_some() {
                self.write(|writer, history, _| writer.flush(history));
            }
            self.postponed = Some(choice);
            return true;
        }
        self.log.push(choice.to_string());
        self.act(choice);
        false
    }

    /// Does the postponed step.
    pub(crate) fn finish_step(&mut self) {
        if let Some(choice) = self.postponed.take() {
            self.log.push(choice.to_string());
            self.act(choice);
        }
    }

    fn act(&mut self, choice: usize) {
        match choice {
            0..=19 => {
                let count = 1 + self.random.below(3);
                self.write(|writer, history, random| (0..count).for_each(|_| writer.line(history, random)));
            }
            20..=37 => self.write(WorldWriter::part),
            38..=45 => {
                let name = self.archive_name();
                self.rename_live(&name);
            }
            // The second process of the writer renames over the month's archive.
            46..=51 => self.rename_live(if choice < 49 {
                "coordination-events-2026-01.ndjson"
            } else {
                "coordination-events-2026-02.ndjson"
            }),
            52..=58 => {
                self.flush_old();
                if let Some(place) = self.old.place {
                    let place = &mut self.places[place];
                    self.old.line(&mut self.histories[place.history], &mut self.random);
                    place.len = self.histories[place.history].len;
                }
            }
            59..=61 => self.write(|writer, history, random| {
                writer.crash(history);
                writer.line(history, random);
            }),
            62..=66 => {
                if let Some(place) = self.some_file() {
                    let name = self.places[place].name.take().expect("it has a name");
                    fs::remove_file(self.path(&name)).expect("a removal");
                    self.note(&format!("#{} at {name} removed", self.places[place].history));
                    if name == LIVE {
                        self.leave_live();
                    }
                }
            }
            67..=71 => self.cut_live(),
            72..=76 => self.copytruncate(),
            77..=80 => {
                if let Some(place) = self.some_file() {
                    let place = &self.places[place];
                    let bytes = fs::read(self.path(place.name.as_deref().expect("named"))).expect("bytes");
                    self.backups.push((place.history, place.len, bytes));
                }
            }
            81..=83 => {
                if let Some((history, len, bytes)) = self.backups.pop() {
                    self.put(history, len, &bytes);
                }
            }
            84..=87 => self.reuse_inode(),
            88..=90 => self.write(|writer, history, random| writer.nuls(history, random)),
            91..=94 => self.write(WorldWriter::twin_line),
            _ => self.write(|writer, history, _| writer.flush(history)),
        }
    }

    fn cut_live(&mut self) {
        self.write(|writer, history, _| writer.flush(history));
        let live = self.live();
        let history = self.places[live].history;
        let copied = self.places.iter().filter(|place| place.history == history).count() > 1
            || self.backups.iter().any(|(backup, ..)| *backup == history);
        let len = self.places[live].len;
        // Cut in the middle only what is nowhere else and begins like nothing else, and leave a line of it: the rest
        // could belong to any file.
        let size = self.random.next() % (len + 1);
        let distinguishable = !copied && !self.histories[history].twin && self.histories[history].cut(size).from > 0;
        let size = if distinguishable { size } else { 0 };
        self.truncate_live(size);
    }

    /// `cp` and then a truncation, as logrotate does it; often the file is filled again to just the length it had.
    fn copytruncate(&mut self) {
        let Some(live) = self.place_of(LIVE) else { return };
        let bytes = fs::read(self.path(LIVE)).expect("bytes");
        let (history, len) = (self.places[live].history, self.places[live].len);
        self.writer.crash(&mut self.histories[history]);
        self.put(history, len, &bytes);
        self.truncate_live(0);
        if !self.random.one_in(3) {
            self.write(|writer, history, _| writer.line_of(history, usize::try_from(len).expect("short")));
        }
    }

    /// A removed file's inode is often the next file's.
    fn reuse_inode(&mut self) {
        if self.place_of(LIVE).is_some() {
            fs::remove_file(self.path(LIVE)).expect("a removal");
            let live = self.place_of(LIVE).expect("there");
            self.places[live].name = None;
            self.leave_live();
            self.flush_old();
            self.old = WorldWriter::new(0);
            self.write(WorldWriter::line);
        }
    }

    /// The reader looks now.
    pub(crate) fn look(&mut self) {
        self.log.push("look".to_owned());
        self.look_due = false;
        for place in &mut self.places {
            if place.name.is_some() || place.known {
                let history = &mut self.histories[place.history];
                history.seen = history.seen.max(place.len);
                place.known = true;
            }
        }
    }

    /// A reader that knows nothing begins.
    pub(crate) fn restart(&mut self) {
        self.log.push("restart".to_owned());
        for place in &mut self.places {
            place.known = false;
        }
        for history in &mut self.histories {
            (history.seen, history.from) = (0, 0);
        }
    }

    /// Names and current sizes of the files.
    pub(crate) fn sizes(&self) -> Vec<(String, u64)> {
        let size = |name: &String| fs::metadata(self.path(name)).expect("a file").len();
        self.places.iter().filter_map(|place| place.name.clone()).map(|name| (name.clone(), size(&name))).collect()
    }

    /// What must have been delivered, in order within each sequence.
    pub(crate) fn expected(&self) -> Sequences {
        let mut all: Sequences =
            self.histories.iter().map(WorldHistory::sequence).filter(|sequence| !sequence.is_empty()).collect();
        all.sort();
        all
    }

    /// How many lines must have been counted as bad.
    pub(crate) fn bad_lines(&self) -> usize {
        self.histories.iter().flat_map(WorldHistory::seen_lines).filter(|line| line.bad).count()
    }

    /// Numbers whose ids must be the same in every process: lines of files that begin like no other file, and that
    /// were never cut in the middle. A record that such a cut left whole is in the cut-off part and in the rest.
    pub(crate) fn lasting(&self) -> Vec<i64> {
        let (lasting, others): (Vec<_>, Vec<_>) =
            self.histories.iter().partition(|history| !history.twin && history.from == 0);
        let numbers = |histories: Vec<&WorldHistory>| -> BTreeSet<i64> {
            histories
                .into_iter()
                .flat_map(WorldHistory::sequence)
                .map(|(_, number)| number)
                .filter(|number| *number > 0)
                .collect()
        };
        let others = numbers(others);
        numbers(lasting).into_iter().filter(|number| !others.contains(number)).collect()
    }
}

/// Delivered events as sequences of (offset, number), one a file token.
pub(crate) fn sequences(events: impl Iterator<Item = (String, i64)>) -> Sequences {
    let mut files: BTreeMap<String, Vec<(u64, i64)>> = BTreeMap::new();
    for (id, number) in events {
        let (token, offset) = id.rsplit_once('-').expect("token and offset");
        files.entry(token.to_owned()).or_default().push((offset.parse().expect("an offset"), number));
    }
    let mut all: Sequences = files.into_values().collect();
    all.sort();
    all
}
