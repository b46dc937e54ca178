//! Merge of a newer response into the visible session list. The content of visible cards is updated, but no card is
//! added or moved. Sessions that are new or would move up are only counted. Tested without a browser.

use coordination::api::SessionCard;
use coordination::ids::SessionId;

/// The list after a newer answer.
pub(super) struct Merged {
    /// The cards on screen, brought up to date.
    pub(super) cards: Vec<SessionCard>,
    /// Cards that are new or would move up.
    pub(super) news: usize,
}

/// Brings `shown` up to date with `latest` without moving anything. Pinned cards are listed separately and are no news.
pub(super) fn merge(shown: &[SessionCard], latest: &[SessionCard], pinned: &[SessionId]) -> Merged {
    let find = |list: &[SessionCard], card: &SessionCard| {
        list.iter().position(|other| other.work_session_id == card.work_session_id)
    };
    let cards =
        shown.iter().map(|card| find(latest, card).map_or_else(|| card.clone(), |at| latest[at].clone())).collect();
    let free = |card: &SessionCard| !pinned.contains(&card.work_session_id);
    let arrived = latest.iter().filter(|card| free(card) && find(shown, card).is_none());
    // A page that grew shorter on screen than the answer brings older cards too: only newer activity is news.
    let oldest_shown = shown.iter().map(|card| card.last_time).min().unwrap_or(i64::MIN);
    let arrived = arrived.filter(|card| card.last_time > oldest_shown).count();
    let moved = shown
        .iter()
        .enumerate()
        .filter(|(at, card)| {
            free(card)
                && find(latest, card).is_some_and(|new_at| {
                    let overtakes = shown[..*at]
                        .iter()
                        .any(|above| free(above) && find(latest, above).is_some_and(|other| other > new_at));
                    overtakes && latest[new_at].last_time > card.last_time
                })
        })
        .count();
    Merged { cards, news: arrived + moved }
}

/// How many cards to ask for, so that a live answer covers the screen: whole pages of 50, at most 200.
pub(super) fn page_limit(shown: usize) -> u32 {
    (shown.div_ceil(50).max(1) * 50).min(200) as u32
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use coordination::api::CategoryInfo;
    use coordination::category::{Category, CategorySource};
    use coordination::session::Status;
    use coordination::title::TitleSource;

    pub(in super::super) fn card(id: &str, last_time: i64) -> SessionCard {
        SessionCard {
            work_session_id: SessionId::from(id),
            synthetic: false,
            title: format!("{id}@{last_time}"),
            title_source: TitleSource::Label,
            status: Status::Active,
            ended: false,
            category: CategoryInfo {
                key: Category::InfraOps,
                secondary: Vec::new(),
                source: CategorySource::Rule,
                confidence: 1.0,
                version: "v2".to_owned(),
            },
            sub_tags: Vec::new(),
            participants: Vec::new(),
            thread_count: 0,
            message_count: 0,
            delegation_count: 0,
            task_count: 0,
            event_count: 0,
            hook_events: 0,
            quiet_at: None,
            transcript_only_events: 0,
            start_time: 0,
            last_time,
            previous_work_session_id: None,
            last_message: None,
            talks: Vec::new(),
            attention: None,
            note_count: 0,
            resolved: None,
            found: None,
        }
    }

    fn titles(cards: &[SessionCard]) -> String {
        cards.iter().map(|card| card.title.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn news_is_counted_without_moving_cards() {
        let shown = [card("a", 30), card("b", 20), card("c", 10)];
        let latest = [card("new", 50), card("c", 40), card("a", 30), card("b", 20)];
        let merged = merge(&shown, &latest, &[]);
        assert_eq!(titles(&merged.cards), "a@30 b@20 c@40");
        assert_eq!(merged.news, 2, "one arrived, one would move up");
    }

    #[test]
    fn activity_updates_top_card_without_pill() {
        let merged = merge(&[card("a", 30), card("b", 20)], &[card("a", 60), card("b", 20)], &[]);
        assert_eq!(titles(&merged.cards), "a@60 b@20");
        assert_eq!(merged.news, 0);
    }

    #[test]
    fn unmatched_card_stays_until_refresh() {
        let merged = merge(&[card("a", 30), card("b", 20)], &[card("b", 20)], &[]);
        assert_eq!(titles(&merged.cards), "a@30 b@20");
        assert_eq!(merged.news, 0);
    }

    #[test]
    fn pinned_card_stays_on_top_without_news() {
        let shown = [card("pin", 40), card("a", 30), card("b", 20)];
        let merged = merge(&shown, &[card("b", 60), card("pin", 50), card("a", 30)], &["pin".into()]);
        assert_eq!((titles(&merged.cards).as_str(), merged.news), ("pin@50 a@30 b@60", 1));
        let merged = merge(&shown[1..], &[card("pin", 50), card("a", 30), card("b", 20)], &["pin".into()]);
        assert_eq!(merged.news, 0);
    }

    #[test]
    fn live_answer_limit_covers_loaded_pages() {
        assert_eq!([0, 1, 50, 51, 170, 900].map(page_limit), [50, 50, 50, 100, 200, 200]);
    }
}
