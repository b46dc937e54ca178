//! Export of the filtered category changes. CSV has the labels of the user's language, JSON has codes.

use coordination::api::{ChangeRow, ChangesQuery};
use coordination::category::Category;
use coordination::csv;

use crate::i18n::messages::Messages;
use crate::source::{DataSource, SourceError};

/// Rows of one request.
const PAGE_ROWS: u32 = 500;

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// For spreadsheets.
    Csv,
    /// For programs.
    Json,
}

impl Format {
    /// Both.
    pub(super) const ALL: [Self; 2] = [Self::Csv, Self::Json];

    /// File extension, and label of the button.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Content type.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Csv => "text/csv;charset=utf-8",
            Self::Json => "application/json",
        }
    }

    /// The rows as text.
    pub(super) fn write(self, rows: &[ChangeRow], words: &Messages) -> Option<String> {
        match self {
            Self::Csv => Some(table(rows, words)),
            Self::Json => serde_json::to_string_pretty(rows).ok(),
        }
    }
}

/// All rows of the filter, not only those on the page.
pub(super) async fn all(source: &DataSource, query: ChangesQuery) -> Result<Vec<ChangeRow>, SourceError> {
    let mut query = ChangesQuery { limit: Some(PAGE_ROWS), ..query };
    let mut rows = Vec::new();
    loop {
        let page = source.category_changes(&query).await?;
        rows.extend(page.changes);
        if page.next.is_none() {
            return Ok(rows);
        }
        query.cursor = page.next;
    }
}

/// A byte order mark at the start: without it some spreadsheets garble Korean.
fn table(rows: &[ChangeRow], words: &Messages) -> String {
    let thread = words.thread();
    let name = |written: &Option<String>| match written {
        None => thread.automatic.to_owned(),
        Some(key) => key.parse::<Category>().map_or_else(|()| key.clone(), |it| (words.common.category)(it).to_owned()),
    };
    let mut text = String::from('\u{feff}');
    text.push_str(&csv::record(&words.record().columns));
    for ChangeRow { change, session, .. } in rows {
        let title = if session.known { session.title.clone() } else { String::new() };
        text.push_str(&csv::record(&[
            change.at.clone(),
            session.work_session_id.to_string(),
            title,
            name(&change.from),
            name(&change.to),
            change.by.clone().unwrap_or_default(),
            change.reason.clone().unwrap_or_default(),
            change.request_id.clone(),
            change.undo_of.clone().unwrap_or_default(),
            if change.found { thread.other_program.to_owned() } else { String::new() },
        ]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;
    use coordination::api::{CategoryChange, SessionLink};
    use coordination::title::TitleSource;

    /// Cells that a spreadsheet would read as a formula are escaped.
    #[test]
    fn csv_rows_are_complete_and_escape_formulas() {
        let change = CategoryChange {
            at: "2026-02-21T05:17:00.000Z".to_owned(),
            work_session_id: "ws_1".into(),
            from: None,
            to: Some("qa_validation".to_owned()),
            by: Some("=cmd|' /C calc'!A0".to_owned()),
            reason: Some("하나, 둘".to_owned()),
            request_id: "r1".to_owned(),
            undo_of: None,
            found: false,
        };
        let session = SessionLink {
            work_session_id: "ws_1".into(),
            title: "배포".to_owned(),
            title_source: TitleSource::Label,
            known: true,
        };
        let text = table(&[ChangeRow { number: 0, change, session }], Locale::Ko.messages());
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("\u{feff}시각,협업"), "{text}");
        assert_eq!(lines[0].split(',').count(), 10);
        assert_eq!(
            lines[1],
            "2026-02-21T05:17:00.000Z,ws_1,배포,자동 분류,QA/검증,'=cmd|' /C calc'!A0,\"하나, 둘\",r1,,"
        );
    }
}
