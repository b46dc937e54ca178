//! What an operator taught the classifier, in a file of its own beside the overrides: looked at as often, and written by
//! the same rules. Who edits it by hand is heard; what cannot be understood is never written over.

use std::sync::PoisonError;

use coordination::api::{Taught, TaughtInfo, TaughtPut, Unreadable};
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::file::{self, Content, ReadError};
use super::keeper::Keeper;
use super::{StoreError, StoreUpdate, disk};

/// How often a change starts over because another program wrote the file in the meantime.
const TRIES: usize = 5;

/// The file as last looked at.
#[derive(Debug, Default)]
pub(super) struct Lessons {
    content: Content,
    taught: Taught,
    /// Its signature then; `None` before the first look.
    seen: Option<Option<disk::Signature>>,
    /// Read it again even if it looks the same.
    look_again: bool,
    /// Why it cannot be used; what was in force stays so, and writes are refused.
    trouble: Option<String>,
    /// The hub does not know it yet.
    pub(super) untold: bool,
    /// The newest rename is not surely durable.
    unconfirmed: bool,
}

impl Lessons {
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

impl Keeper {
    /// Reads the file again if it is another one than last time.
    pub(super) fn look_at_lessons(&mut self) {
        let path = self.home.lessons();
        let lessons = &mut self.lessons;
        let now = disk::signature(&path);
        let changed = lessons.seen != Some(now);
        if !changed && !lessons.look_again {
            return;
        }
        lessons.seen = Some(now);
        lessons.look_again = changed;
        let before = (lessons.taught.clone(), lessons.trouble.clone());
        let read = file::read(&path);
        // A person removed the file that could not be read, as they were told: what is in force takes its place.
        if matches!(read, Ok(None)) && lessons.trouble.is_some() && !lessons.taught.is_empty() && self.lock.is_ok() {
            lessons.trouble = None;
            lessons.content = Content::default();
            let put = TaughtPut { config: lessons.taught.clone(), ..TaughtPut::default() };
            match self.write_lessons(&put) {
                Ok(()) => tracing::info!("the file of taught words was written anew from what is in force"),
                Err(error) => self.failed(&format!("the file of taught words cannot be written anew: {error}")),
            }
            self.lessons.untold = true;
            return self.publish_lessons();
        }
        match read.map(Option::unwrap_or_default) {
            Ok(content) => match taught(&content) {
                Ok(taught) => (lessons.content, lessons.taught, lessons.trouble) = (content, taught, None),
                Err(cause) => lessons.trouble = Some(cause),
            },
            Err(ReadError::Unreadable(cause)) => {
                lessons.look_again = true;
                lessons.trouble = Some(cause);
            }
            Err(ReadError::Damaged(_, cause)) => lessons.trouble = Some(cause),
        }
        if (&lessons.taught, &lessons.trouble) != (&before.0, &before.1) {
            lessons.untold = true;
            if let Some(cause) = &lessons.trouble {
                tracing::error!(cause, "what was taught cannot be read");
            }
        }
        self.publish_lessons();
    }

    /// Tells the hub what is in force. False when it is gone.
    pub(super) fn tell_lessons(&mut self, applied: Option<oneshot::Sender<()>>) -> bool {
        let path = self.home.lessons();
        let path = path.strip_prefix(self.home.root()).unwrap_or(&path).display().to_string();
        let trouble = self.lessons.trouble.iter().map(|cause| Unreadable { path: path.clone(), cause: cause.clone() });
        self.lessons.untold = false;
        let taught = self.lessons.taught.clone();
        self.hub.send(StoreUpdate::Rules { taught, trouble: trouble.collect(), applied })
    }

    /// Answers one who teaches.
    pub(super) fn answer_teacher(&mut self, put: &TaughtPut, answer: oneshot::Sender<super::Applied>) {
        let outcome = self.teach(put);
        if let Err(error @ (StoreError::NotCommitted { .. } | StoreError::Uncertain { .. })) = &outcome {
            tracing::error!(cause = error.to_string(), "what was taught was not written");
            self.failed(&error.to_string());
        }
        self.publish_lessons();
        let outcome = outcome.map(|()| {
            let (applied, shown) = oneshot::channel();
            let _told: bool = self.tell_lessons(Some(applied));
            shown
        });
        self.standing().pending -= 1;
        // The one who asked may have hung up; what is on disk stands.
        drop(answer.send(outcome));
    }

    /// Makes it durable: new content beside the file, the rename, the folder.
    fn teach(&mut self, put: &TaughtPut) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            self.hold()?;
            self.look_at_lessons();
            let lessons = &mut self.lessons;
            if let Some(cause) = &lessons.trouble {
                let cause = format!("the file of taught words cannot be read ({cause}); repair or remove it first");
                return Err(StoreError::refused(cause));
            }
            let stands = lessons.taught.revision();
            if put.expected.as_ref().is_some_and(|seen| *seen != stands) {
                return Err(StoreError::Conflict { now: Some(stands) });
            }
            if put.config == lessons.taught {
                return self.confirm_lessons();
            }
            if lessons.seen == Some(disk::signature(&self.home.lessons())) {
                return self.write_lessons(put);
            }
        }
        Err(StoreError::refused("another program keeps writing the file of taught words"))
    }

    /// New content beside the file, and in its place if that is still the file last looked at.
    fn write_lessons(&mut self, put: &TaughtPut) -> Result<(), StoreError> {
        let path = self.home.lessons();
        let mut content = self.lessons.content.clone();
        fill(&mut content, put, &self.clock.now_iso()).map_err(|error| StoreError::refused(error.to_string()))?;
        let staged = content.stage(&path).map_err(StoreError::not_committed)?;
        if self.lessons.seen != Some(disk::signature(&path)) {
            return Err(StoreError::refused("another program wrote the file of taught words meanwhile"));
        }
        staged.put().map_err(StoreError::not_committed)?;
        let lessons = &mut self.lessons;
        lessons.seen = Some(disk::signature(&path));
        lessons.look_again = true;
        lessons.untold = true;
        lessons.taught = put.config.clone();
        lessons.content = content;
        lessons.unconfirmed = true;
        self.confirm_lessons()
    }

    /// Makes the newest rename durable, if it is not yet.
    pub(super) fn confirm_lessons(&mut self) -> Result<(), StoreError> {
        if self.lessons.unconfirmed {
            let synced = disk::sync_folder(&self.home.lessons());
            synced.map_err(|error| StoreError::Uncertain { cause: error.to_string() })?;
            self.lessons.unconfirmed = false;
        }
        Ok(())
    }

    fn publish_lessons(&self) {
        let info = self.lessons.info(self.home.display(&self.home.lessons()));
        *self.taught.lock().unwrap_or_else(PoisonError::into_inner) = info;
    }
}

/// What the file teaches.
fn taught(content: &Content) -> Result<Taught, String> {
    let taught: Taught =
        serde_json::from_value(Value::Object(content.object().clone())).map_err(|error| error.to_string())?;
    taught.checked().map_err(|fault| format!("{}: {}", fault.field, fault.message))
}

/// Puts it in; keys that this build does not know stay.
fn fill(content: &mut Content, put: &TaughtPut, at: &str) -> serde_json::Result<()> {
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
