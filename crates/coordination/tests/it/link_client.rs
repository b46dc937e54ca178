//! Tests of the link client (the browser tab's end of the live stream) with late, damaged and missing frames.
//!
//! Proves (live): The link client applies each frame once, requests a snapshot when a frame is missing, and ignores
//! text that is not a frame.

use coordination::api::{Frame, Heartbeat, Reset, Snapshot};
use coordination::hub::{Changes, Hub};
use coordination::link::{Connection, LinkClient, OpenRequest, Order, Transport};
use coordination::query;
use serde_json::Value;

const NOW: i64 = 1_772_000_000_000;

fn hub(epoch: &str) -> Hub {
    let mut hub = Hub::new();
    hub.set_epoch(epoch.to_owned());
    hub
}

fn value(frame: &Frame) -> Value {
    serde_json::to_value(frame).expect("JSON")
}

fn snapshot(hub: &Hub) -> Value {
    value(&Frame::Snapshot(Box::new(query::snapshot(hub, NOW))))
}

fn delta(hub: &mut Hub) -> Value {
    hub.advance();
    value(&Frame::Delta(Box::new(query::delta(hub, NOW, &Changes::default()))))
}

/// As it goes over the wire.
fn text(hub: &mut Hub, home: bool) -> String {
    hub.advance();
    let mut delta = query::delta(hub, NOW, &Changes::everything());
    delta.home = home.then(|| query::home(hub, NOW));
    serde_json::to_string(&Frame::Delta(Box::new(delta))).expect("text")
}

fn beat(hub: &Hub) -> Value {
    value(&Frame::Heartbeat(Heartbeat { cursor: hub.cursor(), now: NOW, source: hub.source().clone(), clients: None }))
}

fn opened(order: Option<Order>) -> OpenRequest {
    match order {
        Some(Order::Open(opening)) => opening,
        other => panic!("{other:?}"),
    }
}

/// A client that is up over a socket, and the number of that way.
fn up(hub: &Hub) -> (LinkClient, u64) {
    let mut client = LinkClient::new(7);
    let opening = opened(client.start(NOW));
    assert_eq!(opening.cursor, None);
    client.frame(NOW, opening.generation, snapshot(hub));
    client.settle(NOW);
    (client, opening.generation)
}

/// A reconnect continues after the last received frame, even if that frame was not applied yet.
#[test]
fn reconnect_continues_after_last_received_frame() {
    let mut hub = hub("a");
    let (mut client, way) = up(&hub);
    client.frame(NOW, way, delta(&mut hub));
    client.ended(NOW, way);
    let reopened = opened(client.nudge(NOW));
    assert_eq!(reopened.cursor, Some(hub.cursor()));
    assert!(!client.has_waiting());
}

#[test]
fn frames_of_replaced_connection_are_dropped() {
    let mut hub = hub("a");
    let (mut client, way) = up(&hub);
    client.ended(NOW, way);
    client.nudge(NOW);
    assert_eq!(client.frame(NOW, way, delta(&mut hub)), None);
    assert_eq!(client.ended(NOW, way), None);
    assert!(!client.has_waiting() && !client.is_open(way));
}

#[test]
fn a_frame_that_comes_twice_counts_once() {
    let mut hub = hub("a");
    let (mut client, way) = up(&hub);
    let one = delta(&mut hub);
    client.news();
    client.frame(NOW, way, one.clone());
    assert_eq!(client.settle(NOW), None);
    let view = client.view().cloned();
    client.frame(NOW, way, one);
    assert_eq!(client.settle(NOW), None);
    assert_eq!(client.view().cloned(), view);
}

/// A delta without home keeps the previous home; the next delta with home replaces it.
#[test]
fn delta_without_home_keeps_previous_home() {
    let mut hub = hub("a");
    let (mut client, way) = up(&hub);
    let before = client.news().home.expect("home of the snapshot");
    let part = text(&mut hub, false);
    assert!(!part.contains("\"home\""), "what is left out is not written: {part}");
    client.text(NOW, way, &part);
    assert_eq!(client.settle(NOW), None);
    let news = client.news();
    assert_eq!((news.home, news.recent, news.change.everything), (None, Some(Vec::new()), true));
    let view = client.view().expect("a view");
    assert_eq!((&view.home, &view.cursor), (&before, &hub.cursor()), "home keeps its own position");
    client.text(NOW, way, &text(&mut hub, true));
    assert_eq!(client.settle(NOW), None);
    assert_eq!(client.news().home.map(|home| home.cursor), Some(hub.cursor()));
    assert!(client.news().home.is_none(), "returned once");
}

#[test]
fn a_missing_frame_leads_to_a_snapshot() {
    let mut hub = hub("a");
    let (mut client, way) = up(&hub);
    delta(&mut hub);
    client.frame(NOW, way, delta(&mut hub));
    assert_eq!(opened(client.settle(NOW)).cursor, None);
    assert!(client.news().home.is_none(), "what is shown stays");
}

#[test]
fn heartbeat_reveals_lost_frame() {
    let mut hub = hub("a");
    let (mut client, way) = up(&hub);
    client.frame(NOW, way, beat(&hub));
    assert_eq!(client.settle(NOW), None);
    delta(&mut hub);
    client.frame(NOW, way, beat(&hub));
    assert_eq!(opened(client.settle(NOW)).cursor, None);
}

#[test]
fn reset_snapshot_refetches_everything() {
    let old = hub("a");
    let (mut client, way) = up(&old);
    client.news();
    let mut new = hub("b");
    delta(&mut new);
    client.frame(NOW, way, value(&Frame::Reset(Reset { cursor: new.cursor(), reason: "epoch".to_owned() })));
    client.frame(NOW, way, snapshot(&new));
    assert_eq!(client.settle(NOW), None);
    assert_eq!(client.view().map(|view| view.cursor.clone()), Some(new.cursor()));
    assert!(client.news().change.everything);
}

#[test]
fn unchanged_snapshot_refetches_nothing() {
    let hub = hub("a");
    let mut client = LinkClient::new(7);
    client.shown(hub.cursor());
    let way = opened(client.start(NOW)).generation;
    client.frame(NOW, way, snapshot(&hub));
    client.settle(NOW);
    assert!(!client.news().change.everything);
}

/// Text that is no frame is skipped, and does not count as a sign of life.
#[test]
fn invalid_frame_text_is_ignored() {
    let hub = hub("a");
    let mut client = LinkClient::new(7);
    let way = opened(client.start(NOW)).generation;
    let whole =
        serde_json::to_string(&Frame::Snapshot(Box::new(query::snapshot(&hub, NOW)) as Box<Snapshot>)).expect("text");
    for text in ["", "{", "null", "[1,2]", "<html>", &whole[..whole.len() / 2]] {
        client.text(NOW, way, text);
        assert_eq!(client.connection(NOW), Connection::Connecting, "{text}");
    }
    client.text(NOW, way, &whole);
    assert_eq!(client.connection(NOW), Connection::Live { transport: Transport::Socket });
}

/// A connection whose snapshot was unreadable is opened again instead of being shown as live.
#[test]
fn unreadable_snapshot_reopens_connection() {
    let mut hub = hub("a");
    let frames = [beat(&hub), delta(&mut hub)];
    for first in frames {
        let mut client = LinkClient::new(7);
        let way = opened(client.start(NOW)).generation;
        client.text(NOW, way, "{\"type\":\"snapshot\"}");
        client.frame(NOW, way, first);
        assert_eq!(opened(client.settle(NOW)).cursor, None, "a snapshot is asked for once more");
    }
}

/// The next poll names the cursor at the end of this one.
#[test]
fn poll_is_applied_at_once() {
    let mut hub = hub("a");
    let mut client = LinkClient::new(7);
    let socket = opened(client.start(NOW)).generation;
    let events = opened(client.ended(NOW, socket)).generation;
    let poll = opened(client.ended(NOW, events));
    assert_eq!(poll.transport, Transport::Poll);
    let first = snapshot(&hub);
    assert_eq!(client.polled(NOW, poll.generation, vec![first, delta(&mut hub)]), None);
    assert_eq!(client.cursor(), Some(hub.cursor()));
}
