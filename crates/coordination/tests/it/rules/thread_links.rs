//! Test of the link from a thread to the thread that caused it, by `parentConversationId`.
//!
//! Proves (delivery): A thread links to the thread of its `parentConversationId`, and never to itself.

use coordination::api::SessionDetail;
use coordination::ids::ThreadId;
use coordination::query;

use super::log::{START_MS, hub, talk};

fn detail(lines: &[String]) -> SessionDetail {
    query::session(&hub(lines), START_MS + 99, &"ws".into()).unwrap()
}

#[test]
fn d12_thread_names_the_thread_that_caused_it() {
    let main = r#""message":"해 줘","workSessionId":"ws","eventRole":"conversation.main""#;
    let own = format!(r#"{main},"parentConversationId":"c""#);
    let child =
        talk("a2a.send", "seum", "miri", 10, &own).replace(r#""conversationId":"c""#, r#""conversationId":"d""#);
    let lines = [talk("a2a.send", "eden", "seum", 0, &own), child];
    let detail = detail(&lines);
    let parent = |id: &str| {
        let thread = detail.threads.iter().find(|thread| thread.thread_id == ThreadId::from(id)).unwrap();
        thread.parent.as_ref().map(ThreadId::as_str)
    };
    assert_eq!(parent("conv:c"), None, "a thread is no parent of its own");
    assert_eq!(parent("conv:d"), Some("conv:c"));
}
