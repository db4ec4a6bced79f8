//! The rows as CSV, one line a version, under the names that the JSON document has.

use std::fmt::Write;

use super::report::{Report, Row};

const HEADER: &str = "benchmark,dtype,version,tile,ms,ms_min,ms_max,runs,warm_up_runs,gflops,gbs,us_each,speedup,\
                      percent_of_peak,bytes,local_bytes,groups,max_rel_err,ok,reason";

/// The header and the rows. A figure that does not exist is an empty field.
pub fn render(report: &Report) -> String {
    let mut text = format!("{HEADER}\n");
    for row in &report.rows {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{},{}", report.benchmark, report.dtype, fields(row).join(","));
    }
    text
}

fn fields(row: &Row) -> Vec<String> {
    fn number<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    vec![
        quoted(&row.version),
        number(row.tile),
        number(row.ms),
        number(row.ms_min),
        number(row.ms_max),
        row.runs.to_string(),
        row.warm_up_runs.to_string(),
        number(row.gflops),
        number(row.gbs),
        number(row.us_each),
        number(row.speedup),
        number(row.percent_of_peak),
        number(row.bytes),
        number(row.local_bytes),
        number(row.groups),
        number(row.max_rel_err),
        row.ok.to_string(),
        quoted(row.reason.as_deref().unwrap_or_default()),
    ]
}

/// A field, in quotes when it holds what would end it.
fn quoted(field: &str) -> String {
    match field.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}
