//! What the figures say about tiles: which one wins here, and what its neighbours gain and lose.

use crate::bench::report::{Report, Row, bytes_text, significant};

/// Sentences for the end of the report; the last one names the best tile.
pub fn sentences(report: &Report) -> Vec<String> {
    let tiled: Vec<(&Row, f64, usize)> = report
        .rows
        .iter()
        .filter(|row| row.ok && row.version.starts_with("tiled-"))
        .filter_map(|row| Some((row, row.gflops?, row.tile?)))
        .collect();
    let Some(&(best, rate, tile)) = tiled.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Vec::new();
    };
    let others = tiled.iter().filter(|(row, ..)| row.version != best.version);
    let smaller = others.clone().filter(|(.., other)| *other < tile).max_by_key(|(.., other)| *other);
    let larger = others.filter(|(.., other)| *other > tile).min_by_key(|(.., other)| *other);
    let mut text = format!("tile {tile} wins here with {} GFLOP/s: {}", significant(rate), footprint(best, report));
    if let Some(&(row, other_rate, other)) = smaller {
        text += &format!(
            "; tile {other} reaches {} of its speed, as it reads {} times the bytes from global memory ({} against {})",
            percent(other_rate, rate),
            significant(bytes(row) / bytes(best)),
            bytes_text(bytes(row)),
            bytes_text(bytes(best)),
        );
    }
    if let Some(&(row, other_rate, other)) = larger {
        text += &format!(
            "; tile {other} reaches {}: it reads {} of the bytes, but {}",
            percent(other_rate, rate),
            percent(bytes(row), bytes(best)),
            why_larger_loses(row, report),
        );
    }
    vec![text]
}

/// What a group of this version takes of the device.
fn footprint(row: &Row, report: &Report) -> String {
    let groups = row.groups.unwrap_or(0);
    format!(
        "{} of {} local memory a group, {} of {groups} groups in flight on {} compute units",
        bytes_text(row.local_bytes.unwrap_or(0) as f64),
        bytes_text(report.device.local_memory_bytes as f64),
        groups.min(report.device.compute_units),
        report.device.compute_units,
    )
}

/// The strongest reason that the counts give.
fn why_larger_loses(row: &Row, report: &Report) -> String {
    let groups = row.groups.unwrap_or(0);
    let units = report.device.compute_units;
    if groups < units {
        return format!("it leaves only {groups} groups for {units} compute units");
    }
    if groups % units != 0 && groups < 4 * units {
        return format!("its {groups} groups do not divide evenly among {units} compute units");
    }
    let Some(tile) = row.tile.filter(|tile| *tile > 0) else {
        return footprint(row, report);
    };
    let problem = report.problem.longest_side();
    if problem % tile != 0 {
        return format!("its guarded edge tiles are mostly idle; {}", footprint(row, report));
    }
    format!("its working set is larger: {}", footprint(row, report))
}

fn bytes(row: &Row) -> f64 {
    row.bytes.unwrap_or(0) as f64
}

fn percent(part: f64, whole: f64) -> String {
    format!("{} %", significant(100.0 * part / whole))
}
