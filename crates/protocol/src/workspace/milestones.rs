//! Parser of `MILESTONES.md`: headings and check lists of free Markdown (`contract/workspace.md` §9).

use serde::{Deserialize, Serialize};

/// Headings of a file at most, and items of a heading: more are counted, not stored.
const MAX_HEADINGS: usize = 200;
const MAX_ITEMS: usize = 200;

/// One heading and the check list below it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Milestone {
    /// The heading; empty for a list before any.
    pub title: String,
    /// Ticked items.
    pub done: u32,
    /// All items.
    pub total: u32,
    /// The items; fewer than `total` where there are very many.
    pub items: Vec<MilestoneItem>,
}

/// One item of a check list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct MilestoneItem {
    /// Its words.
    pub text: String,
    /// It is ticked.
    pub done: bool,
}

/// Reads the headings with a check list below them. The file's own title does not count.
#[must_use]
pub fn parse_milestones(text: &str) -> Vec<Milestone> {
    let mut found: Vec<Milestone> = Vec::new();
    let mut heading = String::new();
    let mut fresh = true;
    let mut fenced = false;
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        if line.starts_with('#') {
            let title = line.trim_start_matches('#');
            if title.starts_with(' ') || title.is_empty() {
                title.trim().clone_into(&mut heading);
                fresh = true;
            }
            continue;
        }
        let Some((done, words)) = item(line) else { continue };
        if fresh && found.len() < MAX_HEADINGS {
            found.push(Milestone { title: heading.clone(), ..Milestone::default() });
            fresh = false;
        }
        let Some(milestone) = found.last_mut() else { continue };
        milestone.total = milestone.total.saturating_add(1);
        milestone.done = milestone.done.saturating_add(u32::from(done));
        if milestone.items.len() < MAX_ITEMS {
            milestone.items.push(MilestoneItem { text: words.to_owned(), done });
        }
    }
    found
}

/// `- [x] words`, with any of Markdown's three bullets.
fn item(line: &str) -> Option<(bool, &str)> {
    let rest = line.strip_prefix(['-', '*', '+'])?.trim_start();
    let (mark, words) = rest.strip_prefix('[')?.split_once(']')?;
    let done = match mark {
        "x" | "X" => true,
        blank if blank.trim().is_empty() && blank.len() <= 1 => false,
        _ => return None,
    };
    Some((done, words.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_with_check_lists_are_milestones() {
        let text = "# Milestones\n머리말\n## 2월 베타 (2026-02-28)\n- [x] 로그인 API\n- [ ] 결제 API 배포\n* [X] 별표\n- 그냥 글\n## 빈 제목\n글만\n## 3월\n```\n- [ ] 코드 안\n```\n- [ ] 끝";
        let found = parse_milestones(text);
        let sums: Vec<_> = found.iter().map(|one| (one.title.as_str(), one.done, one.total)).collect();
        assert_eq!(sums, [("2월 베타 (2026-02-28)", 2, 3), ("3월", 0, 1)]);
        assert_eq!(found[0].items[1], MilestoneItem { text: "결제 API 배포".to_owned(), done: false });
        assert!(parse_milestones("").is_empty());
        assert_eq!(parse_milestones("- [ ] 제목 없이").len(), 1);
    }

    #[test]
    fn very_long_lists_are_counted_whole() {
        let text = "- [x] 하나\n".repeat(1_000);
        let found = parse_milestones(&text);
        assert_eq!((found[0].total, found[0].done, found[0].items.len()), (1_000, 1_000, MAX_ITEMS));
    }
}
