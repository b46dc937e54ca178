//! The tasks pages in English.

use crate::i18n::messages::Tasks;

pub(super) const TASKS: Tasks = Tasks { title: "Tasks" };
