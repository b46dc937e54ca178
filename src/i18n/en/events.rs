//! The events pages in English.

use crate::i18n::messages::Events;

pub(super) const EVENTS: Events = Events { title: "Events" };
