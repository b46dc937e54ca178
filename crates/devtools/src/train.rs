//! Trainer of the `v2` classifier (command `train`). It computes the table that the classifier reads (`table.bin`) from
//! the records and the lexicon under `data/classifier/`. Equal data give equal bytes.
//!
//! Proves (categories): The classifier's table is exactly what its data produce, byte for byte (`--check`). With
//! `--folds`, the training is cross-validated: the records of each writer are held out once.
//! Long form: `make train ARGS=--check`, `make train ARGS=--folds`.

mod fit;
mod lexicon;
mod model;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use coordination::category::Category;

use crate::eval::{ClassifierResult, EvalReport};
use crate::records::{self, LabelledRecord};
use crate::{shell, tree};
use fit::CATEGORY_COUNT;
use model::{Model, RecordFeatures, TRAINING_SETTINGS, TrainingSettings};

/// Where the data stand.
fn folder() -> PathBuf {
    tree::root().join("data/classifier")
}

/// All records that training reads, in the order of files and lines.
pub fn written() -> Result<Vec<LabelledRecord>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder())?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("train-")));
    files.sort();
    let mut all = Vec::new();
    for (number, file) in files.iter().enumerate() {
        all.extend(records::read(file)?.into_iter().map(|record| LabelledRecord { file: number, ..record }));
    }
    ensure!(!all.is_empty(), "there are no records in {}", folder().display());
    Ok(all)
}

/// `train [--folds | --check] [FILE]`: writes the table, or only prints the cross-validation, or checks that the table is
/// up to date. With FILE its records are trained on too, and held out together like a writer's.
pub fn run(args: &[String]) -> Result<()> {
    let flag = |name: &str| args.iter().any(|arg| arg == name);
    let (folds_only, check) = (flag("--folds"), flag("--check"));
    let settings = TRAINING_SETTINGS;
    let mut records = written()?;
    let own = records.len();
    for path in args.iter().filter(|arg| !arg.starts_with("--")) {
        let file = 1 + records.iter().map(|record| record.file).max().unwrap_or_default();
        records.extend(records::read(Path::new(path))?.into_iter().map(|record| LabelledRecord { file, ..record }));
    }
    shell::say(&format!("train: {} records", records.len()));
    let lexicon = lexicon::read(&folder().join("lexicon.txt"))?;
    let (held, temperature) = folds(&records, &by_writer(&records), &lexicon, &settings);
    println!("{} (each writer held out)", EvalReport::new(&records, &held).line());
    if own < records.len() {
        println!("  records of the repository: {}", EvalReport::new(&records[..own], &held[..own]).line());
        println!("  records of the files:      {}", EvalReport::new(&records[own..], &held[own..]).line());
    }
    if folds_only {
        println!("{}", EvalReport::new(&records, &held).page());
        return Ok(());
    }
    let reads: Vec<RecordFeatures> =
        records.iter().chain(&lexicon).map(|record| RecordFeatures::new(record, &settings)).collect();
    let model = Model::train(&reads.iter().collect::<Vec<_>>(), &settings);
    let bytes = model.parts(temperature).to_bytes();
    let path = tree::root().join("crates/classifier/src/v2/table.bin");
    if check {
        ensure!(std::fs::read(&path)? == bytes, "{} is not what the data make: run `make train`", path.display());
        shell::say("train: the table is what the data make, byte for byte");
        return Ok(());
    }
    let squeezed = crate::bundle::brotli(&bytes)?.len();
    std::fs::write(&path, &bytes)?;
    shell::say(&format!("train: wrote {} bytes ({squeezed} with brotli) to {}", bytes.len(), path.display()));
    Ok(())
}

/// What a model says of the records it was not trained on, and the temperature that makes its shares honest.
/// Records that belong together by their content are separated only by their place, so equal ones must not be kept.
fn folds(
    records: &[LabelledRecord],
    fold: &[usize],
    lexicon: &[LabelledRecord],
    settings: &TrainingSettings,
) -> (Vec<ClassifierResult>, f64) {
    let reads: Vec<RecordFeatures> = records.iter().map(|record| RecordFeatures::new(record, settings)).collect();
    let words: Vec<RecordFeatures> = lexicon.iter().map(|record| RecordFeatures::new(record, settings)).collect();
    let mut scores = vec![[0.0; CATEGORY_COUNT]; records.len()];
    for part in 0..=fold.iter().copied().max().unwrap_or_default() {
        let taught = reads.iter().zip(fold).filter(|(_, fold)| **fold != part).map(|(read, _)| read);
        let model = Model::train(&taught.chain(&words).collect::<Vec<_>>(), settings);
        for (at, read) in reads.iter().enumerate().filter(|(at, _)| fold[*at] == part) {
            scores[at] = model.scores(read);
        }
    }
    let temperature = temperature(records, &scores);
    let given = scores.iter().map(|scores| {
        let shares = fit::softmax(scores, temperature);
        let best = (0..CATEGORY_COUNT).rev().max_by(|a, b| shares[*a].total_cmp(&shares[*b])).unwrap_or(0);
        ClassifierResult { category: Category::ALL[best], confidence: shares[best] }
    });
    (given.collect(), temperature)
}

/// The fold in which each record is held out: all records of one writer together, so that the model has not seen that
/// writer's style.
fn by_writer(records: &[LabelledRecord]) -> Vec<usize> {
    records.iter().map(|record| record.file).collect()
}

/// The temperature under which the right answers were likeliest.
fn temperature(records: &[LabelledRecord], scores: &[[f64; CATEGORY_COUNT]]) -> f64 {
    let likely = |temperature: f64| -> f64 {
        let each = records.iter().zip(scores);
        each.map(|(record, scores)| fit::softmax(scores, temperature)[record.category.index()].max(1e-12).ln()).sum()
    };
    let steps = (10..300).map(|step| f64::from(step) / 100.0);
    steps.max_by(|a, b| likely(*a).total_cmp(&likely(*b))).unwrap_or(1.0)
}
