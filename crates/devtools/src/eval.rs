//! Evaluation of the classifiers (command `eval`): accuracy, confusion matrix, and calibration of the confidence.
//!
//! Proves (categories): The `v2` classifier names the category of unseen records far more often than the original 1.x
//! monitor's scorer, and its confidence is calibrated. The figures are in docs/benchmarks.md (Classifier accuracy).
//! Long form: `make eval ARGS=file.jsonl`.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};
use coordination::category::Category;
use coordination::classify::{self, Classifier};

use crate::records::{self, LabelledRecord};
use crate::{shell, tree};

/// Bins of the calibration.
const BINS: usize = 10;

/// What a classifier said of a record.
#[derive(Debug, Clone, Copy)]
pub struct ClassifierResult {
    pub category: Category,
    pub confidence: f64,
}

/// `eval [FILE...]`, default the second set of the repository.
pub fn run(args: &[String]) -> Result<()> {
    let default = tree::root().join("data/classifier/heldout.jsonl");
    let files: Vec<PathBuf> = if args.is_empty() { vec![default] } else { args.iter().map(PathBuf::from).collect() };
    for path in files {
        if !path.exists() {
            bail!("there is no {}; name a file of labelled records", path.display());
        }
        let records = records::read(&path)?;
        shell::say(&format!("eval: {} records of {}", records.len(), path.display()));
        for classifier in [Classifier::V1, Classifier::V2] {
            let given: Vec<ClassifierResult> = records.iter().map(|record| decide(record, classifier)).collect();
            println!("\n{}\n{}", classifier.as_str(), EvalReport::new(&records, &given).page());
        }
    }
    Ok(())
}

/// What a classifier says of a record; labels of the set are not shown to it.
fn decide(record: &LabelledRecord, classifier: Classifier) -> ClassifierResult {
    let messages: Vec<_> =
        record.messages.iter().map(|message| (message.kind.as_str(), message.text.as_str())).collect();
    let decision = classify::classify_messages(classifier, record.label.as_deref(), &messages);
    ClassifierResult { category: decision.category, confidence: decision.confidence }
}

/// Right answers of how many.
#[derive(Debug, Clone, Copy, Default)]
struct HitRate {
    strict: u32,
    lenient: u32,
    all: u32,
}

impl HitRate {
    fn add(&mut self, record: &LabelledRecord, given: ClassifierResult) {
        let strict = given.category == record.category;
        self.strict += u32::from(strict);
        self.lenient += u32::from(strict || record.acceptable.contains(&given.category));
        self.all += 1;
    }

    fn text(self) -> String {
        format!(
            "strict {:5.1} %  lenient {:5.1} %  of {}",
            part(self.strict, self.all),
            part(self.lenient, self.all),
            self.all
        )
    }
}

fn part(some: u32, all: u32) -> f64 {
    if all == 0 { 0.0 } else { f64::from(some) * 100.0 / f64::from(all) }
}

/// All figures over one set.
pub struct EvalReport {
    whole: HitRate,
    /// By difficulty and by language.
    groups: Vec<(String, HitRate)>,
    /// Rows: labelled; columns: given.
    confusion: [[u32; 10]; 10],
    bins: [(u32, u32, f64); BINS],
}

impl EvalReport {
    pub fn new(records: &[LabelledRecord], given: &[ClassifierResult]) -> Self {
        let names = ["plain", "tricky", "adversarial", "ko", "en", "mixed"];
        let mut report = Self {
            whole: HitRate::default(),
            groups: names.iter().map(|name| ((*name).to_owned(), HitRate::default())).collect(),
            confusion: [[0; 10]; 10],
            bins: [(0, 0, 0.0); BINS],
        };
        for (record, given) in records.iter().zip(given) {
            report.whole.add(record, *given);
            for (name, share) in &mut report.groups {
                if *name == record.difficulty || *name == record.lang {
                    share.add(record, *given);
                }
            }
            report.confusion[record.category.index()][given.category.index()] += 1;
            // A share of exactly n tenths belongs to bin n; the small number takes off what rounding put on.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 9")]
            let bin = ((given.confidence * 10.0 - 1e-9).ceil().clamp(1.0, 10.0)) as usize - 1;
            let (all, right, sum) = &mut report.bins[bin];
            *all += 1;
            *right += u32::from(given.category == record.category);
            *sum += given.confidence;
        }
        report
    }

    /// Expected calibration error.
    fn ece(&self) -> f64 {
        let gaps = self.bins.iter().map(|(_, right, sum)| (f64::from(*right) - sum).abs());
        gaps.sum::<f64>() / f64::from(self.whole.all.max(1))
    }

    /// The main figures on one line.
    pub fn line(&self) -> String {
        let tricky = self.groups.iter().find(|(name, _)| name == "tricky").map_or(0.0, |(_, s)| part(s.strict, s.all));
        let recall = |at: usize| part(self.confusion[at][at], self.confusion[at].iter().sum());
        let worst = (0..10).map(recall).fold(100.0, f64::min);
        format!("{}  tricky {tricky:.1} %  least recall {worst:.0} %  ECE {:.3}", self.whole.text(), self.ece())
    }

    /// Everything.
    pub fn page(&self) -> String {
        let mut page = format!("{:<12} {}   ECE {:.3}\n", "all", self.whole.text(), self.ece());
        for (name, share) in self.groups.iter().filter(|(_, share)| share.all > 0) {
            page.push_str(&format!("{name:<12} {}\n", share.text()));
        }
        page.push_str(
            "\ncategory             precision  recall   confusion (rows: labelled, columns: given, in this order)\n",
        );
        for category in Category::ALL {
            let at = category.index();
            let row = self.confusion[at];
            let given: u32 = self.confusion.iter().map(|row| row[at]).sum();
            let (precision, recall) = (part(row[at], given), part(row[at], row.iter().sum()));
            let _infallible = write!(page, "{:<20} {precision:7.1} % {recall:6.1} %  ", category.as_str());
            row.iter().for_each(|count| page.push_str(&format!("{count:5}")));
            page.push('\n');
        }
        page.push_str("\nconfidence      n  right  mean\n");
        for (at, (all, right, sum)) in self.bins.iter().enumerate().filter(|(_, bin)| bin.0 > 0) {
            let (right, mean) = (f64::from(*right) / f64::from(*all), sum / f64::from(*all));
            page.push_str(&format!(
                "0.{at}–{}  {all:5}  {right:.2}   {mean:.2}\n",
                if at == 9 { "1.0".into() } else { format!("0.{}", at + 1) }
            ));
        }
        page
    }
}
