//! Search hits among notes and resolved marks with a reason. They are few, so each of them is compared with the terms.

use super::SearchResults;
use super::ask::SearchContext;
use super::entities::{TermPlaces, rank_hit};
use super::rank::HitTarget;
use crate::api::SearchKind;
use crate::search::folded;

/// Counts and ranks them.
pub(super) fn look<'a>(ask: &SearchContext<'a>, found: &mut SearchResults<'a>) {
    for (number, (record, text)) in ask.hub.inputs.shared.all().enumerate() {
        let Some(place) = record.content.place().filter(|_| !text.is_empty()) else { continue };
        let mut places = TermPlaces::default();
        places.text(ask.seen(text));
        if let Some(by) = &record.updated_by {
            places.label(ask.seen(&folded(by)));
        }
        let slot = ask.hub.slot_of(&place.work_session_id);
        let at = record.updated_at;
        if ask.fits(places.all()) && ask.narrow.note_record(slot, at) && found.count(SearchKind::Notes) {
            found.facets.note_session_part(slot);
            rank_hit(ask, places, SearchKind::Notes, Some(at), || HitTarget::Note(number), found);
        }
    }
}
