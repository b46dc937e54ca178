//! CSV encoder for tables (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe before it.

/// What begins a formula in one spreadsheet or another; the wide forms are typed on Korean keyboards.
const FORMULA: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// One record with its end. A cell that would be taken for a formula gets an apostrophe before it, as spreadsheets do
/// by themselves for text.
#[must_use]
pub fn record<S: AsRef<str>>(cells: &[S]) -> String {
    let mut out = cells.iter().map(|text| cell(text.as_ref())).collect::<Vec<_>>().join(",");
    out.push_str("\r\n");
    out
}

fn cell(text: &str) -> String {
    let text = if text.starts_with(FORMULA) { format!("'{text}") } else { text.to_owned() };
    // Spreadsheets of other languages separate cells with `;` or tabs, and would see a formula behind one.
    if text.contains(['"', ',', ';', '\t', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cells_are_quoted_and_formulas_escaped() {
        assert_eq!(
            record(&["배포", "a,b", "그는 \"예\"라고", "두\n줄", ""]),
            "배포,\"a,b\",\"그는 \"\"예\"\"라고\",\"두\n줄\",\r\n"
        );
        assert_eq!(record(&["=1+1", "+82", "-3", "@sum", "a=b"]), "'=1+1,'+82,'-3,'@sum,a=b\r\n");
        assert_eq!(record(&["a;=cmd|' /c calc'!A1", "a\t=1"]), "\"a;=cmd|' /c calc'!A1\",\"a\t=1\"\r\n");
        assert_eq!(record(&["=HYPERLINK(\"x\",\"y\")"]), "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"\r\n");
    }

    /// A reader of RFC 4180, written from the standard and not from the writer.
    fn read(text: &str) -> Vec<Vec<String>> {
        let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match (quoted, c) {
                (true, '"') if chars.peek() == Some(&'"') => cell.extend(chars.next()),
                (_, '"') => quoted = !quoted,
                (false, ',') => row.push(std::mem::take(&mut cell)),
                (false, '\r') if chars.peek() == Some(&'\n') => {
                    chars.next();
                    row.push(std::mem::take(&mut cell));
                    rows.push(std::mem::take(&mut row));
                }
                _ => cell.push(c),
            }
        }
        rows
    }

    proptest! {
        #[test]
        fn written_table_reads_back_without_formulas(table in prop::collection::vec(prop::collection::vec("[=+@,\"\r\n '가a-]{0,6}", 1..4), 1..4)) {
            let text: String = table.iter().map(|row| record(row)).collect();
            let reread = read(&text);
            prop_assert_eq!(reread.len(), table.len());
            for (row, wanted) in reread.iter().flatten().zip(table.iter().flatten()) {
                prop_assert!(!row.starts_with(FORMULA));
                let guard = if wanted.starts_with(FORMULA) { "'" } else { "" };
                prop_assert_eq!(row, &format!("{guard}{wanted}"));
            }
        }
    }
}
