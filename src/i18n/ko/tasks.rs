//! The tasks pages in Korean.

use crate::i18n::messages::Tasks;

pub(super) const TASKS: Tasks = Tasks { title: "작업" };
