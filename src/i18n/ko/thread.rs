//! The thread pages in Korean.

use crate::i18n::messages::Thread;

pub(super) const THREAD: Thread = Thread { title: "대화" };
