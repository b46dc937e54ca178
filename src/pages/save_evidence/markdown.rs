//! Evidence file as Markdown: a text to read and to print, with the hash of each line. Only the evidence file itself can
//! be checked.

use coordination::api::SharedKind;
use coordination::event::parse_lines;
use coordination::evidence::{EvidenceFile, EvidenceLine, EvidenceNote};
use coordination::text::hidden;

use crate::i18n::messages::{EvidenceExtent, FilesMessages};
use crate::i18n::{Locale, time};

/// The text.
pub(super) fn written(file: &EvidenceFile, locale: Locale, words: &FilesMessages) -> String {
    let header = &file.header;
    let mut text = format!("# {}\n\n", words.evidence_title);
    let mut fact = |name: &str, value: String| text.push_str(&format!("- {name}: {}\n", inline(&value)));
    if let Some(session) = &header.scope.session {
        fact(words.evidence_session, session.to_string());
    }
    if let Some(thread) = &header.scope.thread {
        fact(words.evidence_of_thread, thread.to_string());
    }
    if let Some(q) = &header.scope.q {
        fact(words.evidence_query, q.clone());
    }
    if let Some(period) = words.period_of(&header.scope, locale) {
        fact(words.evidence_time, period);
    }
    fact(words.evidence_lines, (words.evidence_holds)(EvidenceExtent::of(&header.scope), header.lines, header.masked));
    fact(words.evidence_files, header.files.join(", "));
    fact(words.evidence_made, time::exact(locale, header.made_at));
    fact(
        words.evidence_by,
        [header.made_by.as_deref().unwrap_or_default(), &header.program].join(" ").trim().to_owned(),
    );
    if let Some(note) = &header.note {
        fact(words.evidence_note, note.clone());
    }
    for note in &header.notes {
        text.push('\n');
        text.push_str(&of_note(note, locale, words));
    }
    for line in &file.lines {
        text.push('\n');
        text.push_str(&of_line(file, line, locale));
    }
    text
}

/// Time, kind and author as a heading, the text as a quotation, and the place.
fn of_note(note: &EvidenceNote, locale: Locale, words: &FilesMessages) -> String {
    let record = &note.record;
    let kind =
        if record.content.kind() == SharedKind::Resolved { words.evidence_mark } else { words.evidence_own_note };
    let by = record.updated_by.as_deref().map(|by| format!(" · {}", inline(by))).unwrap_or_default();
    let mut text = format!("## {} · {kind}{by}\n\n", time::exact(locale, record.updated_at));
    quote(&mut text, record.content.text());
    if let Some(place) = record.content.place() {
        let parts = [Some(place.work_session_id.as_str()), place.thread_id.as_ref().map(|id| id.as_str())];
        text.push_str(&format!("{}\n", inline(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))));
    }
    text
}

/// What was said.
fn quote(text: &mut String, said: &str) {
    for paragraph in said.lines() {
        text.push_str(&format!("> {}\n", escaped(paragraph)));
    }
    if !said.is_empty() {
        text.push('\n');
    }
}

/// Time, type and persons as a heading, what was said as a quotation, and the place of the line.
fn of_line(file: &EvidenceFile, line: &EvidenceLine, locale: Locale) -> String {
    let name = file.header.files.get(line.file as usize).map(String::as_str).unwrap_or_default();
    let place = format!("{}, {} B, SHA-256 {}\n", inline(name), line.offset, line.sha256);
    let (events, _) = parse_lines(format!("{}\n", line.text).as_bytes(), "", 0);
    let Some(event) = events.first() else {
        return format!("```\n{}\n```\n\n{place}", line.text.replace("```", "` ` `"));
    };
    let (from, to) = (event.from_text(), event.to_text());
    let is_named = |name: &str| !name.is_empty() && name != "unknown";
    let people = match is_named(from) && is_named(to) {
        true => format!("{} → {}", file.written_agent(from), file.written_agent(to)),
        false => file.written_agent(event.agent()),
    };
    let mut text =
        format!("## {} · {} · {}\n\n", time::exact(locale, event.at), inline(event.event_type()), inline(&people));
    let said = ["message", "replyPreview", "reason", "result"];
    let value = event.to_value();
    let said = said.iter().find_map(|name| value["data"][name].as_str()).unwrap_or_default();
    quote(&mut text, said);
    text.push_str(&place);
    text
}

/// Text that cannot become markup, on one line.
fn inline(text: &str) -> String {
    escaped(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Text of a log in Markdown: no link, picture, HTML, heading, list or code can come of it. Hidden characters are marked.
fn escaped(text: &str) -> String {
    let shown = hidden::marked(text);
    let mut out = String::with_capacity(shown.len());
    for c in shown.trim_start().chars() {
        if c.is_ascii_punctuation() && !"\"',;%".contains(c) {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{escaped, inline};

    #[test]
    fn texts_of_a_log_are_no_markup() {
        assert_eq!(escaped("[a](http://b) <img> # x"), "\\[a\\]\\(http\\:\\/\\/b\\) \\<img\\> \\# x");
        assert_eq!(escaped("   - 배포"), "\\- 배포", "no list and no code");
        assert_eq!(escaped("---"), "\\-\\-\\-");
        assert_eq!(inline("첫 줄\n둘째"), "첫 줄 둘째");
    }
}
