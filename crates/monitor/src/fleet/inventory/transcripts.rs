//! Transcripts and stores in an inventory: files that the reader of transcripts makes ([`TranscriptFeed`]), beside those of the
//! home itself.
//!
//! [`TranscriptFeed`]: crate::sources::transcripts::TranscriptFeed

use std::collections::BTreeMap;

use coordination::api::FleetSkipped;

use super::{HomeReader, Inventory, MAX_FILE_BYTES};
use crate::sources::transcripts::{FeedFile, is_part_path, is_published_path};

/// Which of the published files of transcripts stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::fleet) enum RetainedTranscripts {
    /// None: what the inventory has is all.
    #[default]
    None,
    /// Exchanges.
    Parts,
    /// Exchanges, and what is known of stores.
    All,
}

impl RetainedTranscripts {
    /// Whether a file that is published stays.
    pub(in crate::fleet) fn has(self, path: &str) -> bool {
        match self {
            Self::None => false,
            Self::Parts => is_part_path(path),
            Self::All => is_published_path(path),
        }
    }
}

impl HomeReader {
    /// What is published of transcripts and stores.
    pub(super) fn add_transcripts(&mut self, inventory: &mut Inventory) {
        let files = self.feed.files();
        inventory.retained = match files.is_empty() {
            true => RetainedTranscripts::All,
            false if files.retains_parts() => RetainedTranscripts::Parts,
            false => RetainedTranscripts::None,
        };
        let mut digests = BTreeMap::new();
        for (path, file) in files.published() {
            let known = self.feed_digests.remove(&path).filter(|(digest, _)| *digest == file.digest);
            let cause = match known {
                Some((_, cause)) => cause,
                None => match self.published_transcripts(&path, file) {
                    Ok(bytes) => {
                        inventory.changed.insert(path.clone(), bytes);
                        None
                    }
                    Err(cause) => Some(cause),
                },
            };
            match cause.clone() {
                None => drop(inventory.paths.insert(path.clone())),
                Some(cause) => inventory.skipped.push(FleetSkipped { path: path.clone(), cause }),
            }
            digests.insert(path, (file.digest.clone(), cause));
        }
        self.feed_digests = digests;
    }

    fn published_transcripts(&self, path: &str, file: &FeedFile) -> Result<Vec<u8>, String> {
        let bytes = self.published(path, file.bytes()?).map_err(str::to_owned)?;
        let is_too_large = bytes.len() as u64 > MAX_FILE_BYTES;
        if is_too_large { Err(format!("{} bytes are more than a file may have", bytes.len())) } else { Ok(bytes) }
    }
}

#[cfg(test)]
mod tests {
    use coordination::api::{AgentStatement, ApprovalKind, ApprovalRequest, TranscriptReading, Unreadable};
    use coordination::merge::TranscriptExchanges;
    use coordination::store::{PendingApproval, PersonRequests};
    use coordination::transcript::exchanges::{ExchangeEvent, ExchangeEventKind, ExchangeParty};

    use super::*;
    use crate::config::FleetText;
    use crate::home::HomeDir;
    use crate::sources::transcripts::{TranscriptFeed, TranscriptUpdate};

    /// An update with this word wherever somebody's words are.
    fn update(word: &str, complete: bool) -> TranscriptUpdate {
        let (text, words) = (word.to_owned(), Some(word.to_owned()));
        let side = |agent: &str| ExchangeParty { agent: agent.to_owned(), key: Some(format!("agent:{agent}:main")) };
        let event = ExchangeEvent::new(ExchangeEventKind::Spawn, 1, "run-1", &side("eden"), &side("ruda"));
        let event = ExchangeEvent { text: words.clone(), label: words.clone(), error: words.clone(), ..event };
        let approval = PendingApproval {
            request: ApprovalRequest {
                id: "a-1".to_owned(),
                kind: ApprovalKind::Exec,
                text: text.clone(),
                warning: text.clone(),
                ..ApprovalRequest::default()
            },
            title: words.clone(),
            agent_id: Some("eden".into()),
            session_key: Some("agent:eden:main".to_owned()),
            created_at: 1,
            expires_at: 2,
            call: None,
            is_forwarded: false,
        };
        let statement = AgentStatement {
            note: text.clone(),
            attention: words,
            expires_at: 2,
            session_key: "agent:eden:main".to_owned(),
        };
        TranscriptUpdate {
            talk: Some(TranscriptExchanges::new(vec![event])),
            complete,
            revision: 1,
            stores: Vec::new(),
            requests: PersonRequests {
                approvals: vec![approval],
                statements: vec![("eden".into(), statement)],
                gateway_page: None,
            },
            reading: TranscriptReading::default(),
            unreadable: vec![Unreadable { path: "agents/eden".to_owned(), cause: format!("{word} is a link") }],
        }
    }

    fn reader(text: FleetText) -> (HomeReader, TranscriptFeed, tempfile::TempDir) {
        let (folder, feed) = (tempfile::tempdir().expect("folder"), TranscriptFeed::new(false));
        (HomeReader::new((HomeDir::new(folder.path()), feed.clone()), text, false), feed, folder)
    }

    #[test]
    fn no_word_of_transcripts_survives_none() {
        for word in ["hunter", "hunter two", "헌터", "sk-ant-api03-hunter2hunter2hunter2hunter2"] {
            for text in [FleetText::None, FleetText::Summary, FleetText::Full] {
                let (mut reader, feed, _folder) = reader(text);
                feed.set_update(&update(word, true));
                let inventory = reader.inventory().expect("files");
                assert_eq!(inventory.changed.len(), 2, "{:?}", inventory.changed.keys());
                for (path, bytes) in &inventory.changed {
                    let published = String::from_utf8_lossy(bytes);
                    let has_word = published.contains("hunter") || published.contains("헌터");
                    let stays = match text {
                        FleetText::None => false,
                        FleetText::Summary => !word.starts_with("sk-"),
                        FleetText::Full => true,
                    };
                    assert_eq!(has_word, stays, "{text:?} {path}: {published}");
                    assert!(published.contains("agent:eden:main"), "keys travel: {published}");
                }
            }
        }
    }

    #[test]
    fn what_is_published_stays_until_it_is_read_again() {
        let (mut reader, feed, _folder) = reader(FleetText::Full);
        let (part, stores) = ("task-hub-transcripts/00.json", "task-hub-transcripts/stores.json");
        let keeps = reader.inventory().expect("files").retained;
        assert!(keeps.has(part) && keeps.has(stores) && !keeps.has("openclaw.json"), "nothing is read yet");
        feed.set_update(&update("하나", false));
        let inventory = reader.inventory().expect("files");
        assert!(inventory.retained.has(part) && !inventory.retained.has(stores));
        assert_eq!(inventory.paths.iter().map(String::as_str).collect::<Vec<_>>(), [stores]);
        feed.set_update(&update("하나", true));
        let inventory = reader.inventory().expect("files");
        assert_eq!((inventory.retained.has(part), inventory.paths.len(), inventory.changed.len()), (false, 2, 2));
        let again = reader.inventory().expect("files");
        assert_eq!((again.paths.len(), again.changed.len()), (2, 0), "nothing is sent again");
    }

    #[test]
    fn part_beyond_the_limit_is_named() {
        let (mut reader, feed, _folder) = reader(FleetText::Full);
        let large = TranscriptUpdate { talk: update(&"x".repeat(5 << 20), true).talk, ..update("하나", true) };
        feed.set_update(&large);
        let inventory = reader.inventory().expect("files");
        let paths: Vec<&str> = inventory.paths.iter().map(String::as_str).collect();
        assert_eq!(paths, ["task-hub-transcripts/stores.json"]);
        assert_eq!(inventory.skipped.len(), 1);
        assert!(inventory.skipped[0].cause.contains("more than a file may have"), "{:?}", inventory.skipped);
        let stores = String::from_utf8_lossy(&inventory.changed["task-hub-transcripts/stores.json"]).into_owned();
        assert!(stores.contains(&inventory.skipped[0].path.rsplit_once('/').expect("a name").1.to_owned()), "{stores}");
        assert_eq!(reader.inventory().expect("files").skipped.len(), 1, "as long as it is so");
    }
}
