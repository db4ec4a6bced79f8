use super::*;

#[test]
fn a_report_shows_the_line_with_a_caret_and_what_to_do() {
    let mut report = Report::new(ReportKind::DataRace, "blur", "item 5 reads byte 16 of local memory");
    report.function = "neighbours".to_owned();
    report.location = SourceLocation { file: "src/check/report/tests.rs".to_owned(), line: 1, column: 4 };
    report.other =
        Some((SourceLocation { file: "no/such/file.rs".to_owned(), line: 7, column: 0 }, "item 4 wrote it".into()));
    report.notes.push("put a barrier between".to_owned());
    report.count = 3;
    let expected = "\
data race: item 5 reads byte 16 of local memory
  --> src/check/report/tests.rs:1:5, in kernel `blur`, function `neighbours`
  |
1 | use super::*;
  |     ^
   = item 4 wrote it: no/such/file.rs:7:1
   = put a barrier between
   = seen 3 times in this launch";
    assert_eq!(report.to_string(), expected);
}

#[test]
fn a_note_says_that_it_is_one() {
    let report = Report::new(ReportKind::LossyCast, "k", "300 becomes 44 as u8");
    assert_eq!(report.to_string(), "note: cast that loses the value: 300 becomes 44 as u8\n  --> in `k`");
}
