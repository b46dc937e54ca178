//! Storage of the classifier rules that people teach, in a file next to the override file. The file is polled for
//! manual edits. A change writes the whole file, without an audit log. A file that cannot be parsed is never
//! overwritten.

use std::sync::PoisonError;

use coordination::api::{Taught, TaughtInfo, TaughtPut, Unreadable};
use coordination::classify::v2::checked_rules;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::file::{self, OverrideFileContent, OverrideReadError};
use super::writer::OverrideWriter;
use super::{Applied, OverrideStoreUpdate, WriteError};
use crate::fs::durable;

/// How often a change starts over because another program wrote the file in the meantime.
const MAX_RULE_COMMIT_ATTEMPTS: usize = 5;

/// The file as last looked at.
#[derive(Debug, Default)]
pub(super) struct RulesFile {
    /// The whole file as last read, unknown fields included.
    content: OverrideFileContent,
    /// The rules in force.
    taught: Taught,
    /// Its signature then; `None` before the first look.
    seen: Option<Option<durable::FileSignature>>,
    /// Read it again even if it looks the same.
    force_reload: bool,
    /// Why it cannot be used; the earlier rules stay in force, and writes are refused.
    trouble: Option<String>,
    /// The hub does not know it yet.
    pub(super) unpublished: bool,
    /// The newest rename is not surely durable.
    unconfirmed: bool,
}

impl RulesFile {
    fn info(&self, path: String) -> TaughtInfo {
        let text = |key: &str| self.content.text(key).map(str::to_owned);
        TaughtInfo {
            revision: self.taught.revision(),
            config: self.taught.clone(),
            updated_at: text("updatedAt"),
            updated_by: text("updatedBy"),
            path,
            trouble: self.trouble.clone(),
            ..TaughtInfo::default()
        }
    }
}

impl OverrideWriter {
    /// Reads the file again if it is another one than last time.
    pub(super) fn reload_rules(&mut self) {
        let path = self.home.lessons();
        let rules = &mut self.rules;
        let now = durable::signature(&path);
        let changed = rules.seen != Some(now);
        if !changed && !rules.force_reload {
            return;
        }
        rules.seen = Some(now);
        rules.force_reload = changed;
        let before = (rules.taught.clone(), rules.trouble.clone());
        let read = file::read(&path);
        // A person removed the unreadable file, as the message asked: the rules in force are written in its place.
        if matches!(read, Ok(None)) && rules.trouble.is_some() && !rules.taught.is_empty() && self.lock.is_ok() {
            rules.trouble = None;
            rules.content = OverrideFileContent::default();
            let put = TaughtPut { config: rules.taught.clone(), ..TaughtPut::default() };
            match self.write_rules(&put) {
                Ok(()) => tracing::info!("the rules file was written again from the rules in force"),
                Err(error) => self.failed(&format!("the file of taught words cannot be written again: {error}")),
            }
            self.rules.unpublished = true;
            return self.publish_rules();
        }
        match read.map(Option::unwrap_or_default) {
            Ok(content) => match taught(&content) {
                Ok(taught) => (rules.content, rules.taught, rules.trouble) = (content, taught, None),
                Err(cause) => rules.trouble = Some(cause),
            },
            Err(OverrideReadError::Unreadable(cause)) => {
                rules.force_reload = true;
                rules.trouble = Some(cause);
            }
            Err(OverrideReadError::Damaged { cause, .. }) => rules.trouble = Some(cause),
        }
        if (&rules.taught, &rules.trouble) != (&before.0, &before.1) {
            rules.unpublished = true;
            if let Some(cause) = &rules.trouble {
                tracing::error!(cause, "the classifier rules cannot be read");
            }
        }
        self.publish_rules();
    }

    /// Sends the hub the rules in force. False when the hub is gone.
    pub(super) fn publish_rules_to_hub(&mut self, applied: Option<oneshot::Sender<()>>) -> bool {
        let path = self.home.lessons();
        let path = path.strip_prefix(self.home.root()).unwrap_or(&path).display().to_string();
        let trouble = self.rules.trouble.iter().map(|cause| Unreadable { path: path.clone(), cause: cause.clone() });
        self.rules.unpublished = false;
        let taught = self.rules.taught.clone();
        self.hub.send(OverrideStoreUpdate::Rules { taught, trouble: trouble.collect(), applied })
    }

    /// Answers a request to change the rules.
    pub(super) fn answer_rules_change(
        &mut self,
        put: &TaughtPut,
        answer: oneshot::Sender<Result<Applied, WriteError>>,
    ) {
        let outcome = self.teach(put);
        self.outcomes.count(&outcome);
        if let Err(error @ (WriteError::NotCommitted { .. } | WriteError::Uncertain { .. })) = &outcome {
            tracing::error!(cause = error.to_string(), "the classifier rules were not written");
            self.failed(&error.to_string());
        }
        self.publish_rules();
        let outcome = outcome.map(|()| {
            let (applied, shown) = oneshot::channel();
            let _sent: bool = self.publish_rules_to_hub(Some(applied));
            shown
        });
        self.info().pending -= 1;
        // The requester may have disconnected; what is on disk remains in force.
        drop(answer.send(outcome));
    }

    /// Makes it durable: new content beside the file, the rename, the folder.
    fn teach(&mut self, put: &TaughtPut) -> Result<(), WriteError> {
        for _ in 0..MAX_RULE_COMMIT_ATTEMPTS {
            self.acquire_lock()?;
            self.reload_rules();
            let rules = &mut self.rules;
            if let Some(cause) = &rules.trouble {
                let cause = format!("the file of taught words cannot be read ({cause}); repair or remove it first");
                return Err(WriteError::not_committed_because(cause));
            }
            let current_revision = rules.taught.revision();
            if put.expected.as_ref().is_some_and(|seen| *seen != current_revision) {
                return Err(WriteError::Conflict { current: Some(current_revision) });
            }
            if put.config == rules.taught {
                return self.confirm_rules();
            }
            if rules.seen == Some(durable::signature(&self.home.lessons())) {
                return self.write_rules(put);
            }
        }
        Err(WriteError::not_committed_because("another program keeps writing the file of taught words"))
    }

    /// New content beside the file, renamed into place if the file is still the one last read.
    fn write_rules(&mut self, put: &TaughtPut) -> Result<(), WriteError> {
        let path = self.home.lessons();
        let mut content = self.rules.content.clone();
        fill(&mut content, put, &self.clock.now_iso())
            .map_err(|error| WriteError::not_committed_because(error.to_string()))?;
        let staged = content.stage(&path).map_err(WriteError::not_committed)?;
        if self.rules.seen != Some(durable::signature(&path)) {
            return Err(WriteError::not_committed_because("another program wrote the file of taught words meanwhile"));
        }
        staged.put().map_err(WriteError::not_committed)?;
        let rules = &mut self.rules;
        rules.seen = Some(durable::signature(&path));
        rules.force_reload = true;
        rules.unpublished = true;
        rules.taught = put.config.clone();
        rules.content = content;
        rules.unconfirmed = true;
        self.confirm_rules()
    }

    /// Makes the newest rename durable, if it is not yet.
    pub(super) fn confirm_rules(&mut self) -> Result<(), WriteError> {
        if self.rules.unconfirmed {
            let synced = durable::sync_folder(&self.home.lessons());
            synced.map_err(|error| WriteError::Uncertain { cause: error.to_string() })?;
            self.rules.unconfirmed = false;
        }
        Ok(())
    }

    fn publish_rules(&self) {
        let info = self.rules.info(self.home.display(&self.home.lessons()));
        *self.taught.lock().unwrap_or_else(PoisonError::into_inner) = info;
    }
}

/// The rules in the file.
fn taught(content: &OverrideFileContent) -> Result<Taught, String> {
    let taught: Taught =
        serde_json::from_value(Value::Object(content.object().clone())).map_err(|error| error.to_string())?;
    checked_rules(taught).map_err(|fault| format!("{}: {}", fault.field, fault.message))
}

/// Puts it in; keys that this build does not know stay.
fn fill(content: &mut OverrideFileContent, put: &TaughtPut, at: &str) -> serde_json::Result<()> {
    let object: &mut Map<String, Value> = content.object_mut();
    object.insert("words".to_owned(), serde_json::to_value(&put.config.words)?);
    object.insert("agents".to_owned(), serde_json::to_value(&put.config.agents)?);
    object.insert("updatedAt".to_owned(), at.into());
    match &put.updated_by {
        Some(by) => object.insert("updatedBy".to_owned(), by.clone().into()),
        None => object.shift_remove("updatedBy"),
    };
    Ok(())
}
