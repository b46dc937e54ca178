//! The events pages in Korean.

use crate::i18n::messages::Events;

pub(super) const EVENTS: Events = Events { title: "이벤트" };
