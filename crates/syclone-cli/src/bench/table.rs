//! The report as a table for people.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::report::{Column, Report};

/// The whole text: what ran where, the table, what is wrong, and the conclusion.
pub fn render(report: &Report) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(report.columns.iter().map(|column| column.heading(report.baseline.as_deref())));
    for (idx, column) in report.columns.iter().enumerate() {
        let left = matches!(column, Column::Version | Column::Ok);
        if let Some(column) = table.column_mut(idx) {
            column.set_cell_alignment(if left { CellAlignment::Left } else { CellAlignment::Right });
        }
    }
    for row in &report.rows {
        table.add_row(report.columns.iter().map(|column| row.cell(*column)));
    }
    let mut lines = vec![report.title(), report.device_line(), report.method_line(), table.to_string()];
    for row in &report.rows {
        lines.extend(row.note.iter().map(|note| format!("{}: {note}", row.version)));
    }
    for row in &report.rows {
        lines.extend(row.reason.iter().map(|reason| format!("{}: {reason}", row.version)));
    }
    lines.extend(report.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.extend(report.conclusion.iter().cloned());
    lines.push(String::new());
    lines.join("\n")
}
