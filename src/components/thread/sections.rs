//! Parser of bracket headings inside messages (`[Goal]`, `[Context]` …, `contract/events.md` §7.3). It splits a message
//! into labelled parts, and limits the number of page nodes (DOM nodes) that each part may use.

use coordination::markdown::MAX_NODES;

/// Bracket heading at the beginning of a line, case-insensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionHeading {
    /// `[Goal]`
    Goal,
    /// `[Context]`
    Context,
    /// `[Task]`
    Task,
    /// `[Constraints]`
    Constraints,
    /// `[Result]`
    Result,
}

impl SectionHeading {
    const ALL: [(&'static str, Self); 5] = [
        ("[goal]", Self::Goal),
        ("[context]", Self::Context),
        ("[task]", Self::Task),
        ("[constraints]", Self::Constraints),
        ("[result]", Self::Result),
    ];

    /// The heading a line begins with, and the rest of that line.
    fn of_line(line: &str) -> Option<(Self, &str)> {
        let line = line.trim_start();
        Self::ALL.iter().find_map(|(mark, heading)| {
            let head = line.get(..mark.len())?;
            head.eq_ignore_ascii_case(mark).then(|| (*heading, line[mark.len()..].trim_start()))
        })
    }
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSection {
    /// Its label, if it has one.
    pub heading: Option<SectionHeading>,
    /// Its markdown.
    pub text: String,
}

/// Maximum number of parts of one message; later headings are text. A hostile message may hold any number.
const MAX_PARTS: usize = 8;
/// Nodes that each part may cost, however short it is.
const MIN_PART_NODES: usize = 300;

/// Node limits of the parts. With the `beside` nodes of the payload, their sum is the limit of one message.
pub fn node_limits(parts: &[TextSection], beside: usize) -> Vec<usize> {
    let whole = parts.iter().map(|part| part.text.len()).sum::<usize>().max(1);
    let rest = MAX_NODES.saturating_sub(beside + MIN_PART_NODES * parts.len());
    parts.iter().map(|part| MIN_PART_NODES + rest * part.text.len() / whole).collect()
}

/// Splits a message at its headings. Lines inside code fences are never headings.
pub fn sections(text: &str) -> Vec<TextSection> {
    let mut parts = vec![TextSection { heading: None, text: String::new() }];
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let rest = match SectionHeading::of_line(line).filter(|_| !fenced && parts.len() <= MAX_PARTS) {
            Some((heading, rest)) => {
                parts.push(TextSection { heading: Some(heading), text: String::new() });
                rest
            }
            None => line,
        };
        if let Some(part) = parts.last_mut() {
            part.text.push_str(rest);
            part.text.push('\n');
        }
    }
    parts.retain(|part| part.heading.is_some() || !part.text.trim().is_empty());
    for part in &mut parts {
        part.text = part.text.trim_matches('\n').to_owned();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Vec<(Option<SectionHeading>, String)> {
        sections(text).into_iter().map(|part| (part.heading, part.text)).collect()
    }

    #[test]
    fn heading_labels_text_until_next_heading() {
        assert_eq!(
            shape("안녕하세요\n[Goal] 배포\n10%부터\n[constraints]\n- 14시 전"),
            [
                (None, "안녕하세요".to_owned()),
                (Some(SectionHeading::Goal), "배포\n10%부터".to_owned()),
                (Some(SectionHeading::Constraints), "- 14시 전".to_owned()),
            ]
        );
    }

    #[test]
    fn text_without_headings_is_one_section() {
        assert_eq!(shape("그냥 말"), [(None, "그냥 말".to_owned())]);
    }

    #[test]
    fn many_headings_share_one_node_limit() {
        for text in ["[Goal] x\n".repeat(5_000), format!("[Goal] x\n{}", "- y\n".repeat(5_000)), String::new()] {
            let parts = sections(&text);
            assert!(parts.len() <= MAX_PARTS + 1);
            assert!(node_limits(&parts, 0).iter().sum::<usize>() <= MAX_NODES);
            assert_eq!(
                parts.iter().map(|part| part.text.matches('x').count()).sum::<usize>(),
                text.matches('x').count()
            );
        }
        assert_eq!(node_limits(&sections("x"), 0), [MAX_NODES]);
    }

    #[test]
    fn a_heading_inside_a_code_fence_is_code() {
        assert_eq!(shape("```\n[Goal] x\n```"), [(None, "```\n[Goal] x\n```".to_owned())]);
    }
}
