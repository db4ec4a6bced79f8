//! The page around the table and the charts.

use super::bars;
use super::roofline;
use super::svg::escape;
use crate::bench::report::{Column, Report, Row};

const STYLE: &str = include_str!("style.css");

/// The whole document.
pub fn render(report: &Report) -> String {
    let mut body = format!("<h1>syclone bench {}</h1>\n", escape(report.benchmark));
    for sentence in [report.title(), report.device_line(), report.method_line()] {
        body += &format!("<p class=\"facts\">{}</p>\n", escape(&sentence));
    }
    for sentence in &report.conclusion {
        body += &format!("<p class=\"conclusion\">{}</p>\n", escape(sentence));
    }
    for warning in &report.warnings {
        body += &format!("<p class=\"warning\">Warning: {}</p>\n", escape(warning));
    }
    body += &section(&format!("{} by version", report.chart.heading(None)), &bars::chart(report), None);
    body += &section("All figures", &table(report), None);
    body += &remarks(report);
    if let Some(plot) = roofline::plot(report) {
        let caption = "The access count is what a version asks of global memory. A point above the slanted roof got its \
                       operands from the caches instead; blocking moves a point to the right, where the roof is high.";
        body += &section("Roofline", &plot, Some(caption));
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>syclone bench {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escape(report.benchmark)
    )
}

fn section(heading: &str, content: &str, caption: Option<&str>) -> String {
    let caption = caption.map(|text| format!("<p class=\"caption\">{}</p>\n", escape(text))).unwrap_or_default();
    format!("<section>\n<h2>{}</h2>\n<div class=\"wide\">{content}</div>\n{caption}</section>\n", escape(heading))
}

fn table(report: &Report) -> String {
    let heading = |column: &Column| {
        let heading = escape(&column.heading(report.baseline.as_deref()));
        format!("<th{}>{heading}</th>", side(*column))
    };
    let cells = |row: &Row| {
        let cell = |column: &Column| format!("<td{}>{}</td>", side(*column), escape(&row.cell(*column)));
        report.columns.iter().map(cell).collect::<String>()
    };
    let headings: String = report.columns.iter().map(heading).collect();
    let rows: String = report
        .rows
        .iter()
        .map(|row| format!("<tr{}>{}</tr>\n", if row.ok { "" } else { " class=\"failed\"" }, cells(row)))
        .collect();
    format!("<table>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>")
}

/// The class of a column that is read as text.
fn side(column: Column) -> &'static str {
    match column {
        Column::Version | Column::Ok => " class=\"text\"",
        _ => "",
    }
}

fn remarks(report: &Report) -> String {
    let mut items = String::new();
    for row in &report.rows {
        for remark in row.reason.iter().chain(&row.note) {
            items += &format!("<li><b>{}</b>: {}</li>\n", escape(&row.version), escape(remark));
        }
    }
    if items.is_empty() { items } else { format!("<ul class=\"remarks\">\n{items}</ul>\n") }
}
