//! The thread pages in English.

use crate::i18n::messages::Thread;

pub(super) const THREAD: Thread = Thread { title: "Conversation" };
