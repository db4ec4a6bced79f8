//! What the figures say about tiles: which one wins here, and what its neighbours gain and lose.

use crate::bench::report::{Report, Row, bytes_text, significant};

/// A tiled version's row, with what it must have to be compared.
#[derive(Clone, Copy)]
struct Tiled<'a> {
    row: &'a Row,
    tile: usize,
    gflops: f64,
    bytes: f64,
    groups: usize,
}

/// One line that names the best tile and says why the next smaller and the next larger one do not win; nothing when no
/// tiled version ran.
pub fn sentences(report: &Report) -> Vec<String> {
    let tiled: Vec<Tiled<'_>> = report.rows.iter().filter_map(tiled).collect();
    let Some(best) = tiled.iter().copied().max_by(|a, b| a.gflops.total_cmp(&b.gflops)) else { return Vec::new() };
    let smaller = tiled.iter().filter(|other| other.tile < best.tile).max_by_key(|other| other.tile);
    let larger = tiled.iter().filter(|other| other.tile > best.tile).min_by_key(|other| other.tile);
    let mut text = format!(
        "Tile {} wins on this machine with {} GFLOP/s ({})",
        best.tile,
        significant(best.gflops),
        footprint(best, report)
    );
    if let Some(other) = smaller {
        text += &format!(
            ". Tile {} reaches {} of its speed: {}",
            other.tile,
            share(*other, best),
            smaller_loses(*other, best)
        );
    }
    if let Some(other) = larger {
        let gain = match other.bytes < best.bytes {
            true => format!("it asks global memory for {} of the bytes, but ", percent(other.bytes / best.bytes)),
            false => String::new(),
        };
        text += &format!(
            ". Tile {} reaches {}: {gain}{}",
            other.tile,
            share(*other, best),
            larger_loses(*other, best, report)
        );
    }
    vec![text + "."]
}

fn tiled(row: &Row) -> Option<Tiled<'_>> {
    let version = Tiled {
        row,
        tile: row.tile.filter(|_| row.ok)?,
        gflops: row.gflops?,
        bytes: row.bytes? as f64,
        groups: row.groups?,
    };
    Some(version)
}

/// What a group of this version takes of the device.
fn footprint(version: Tiled<'_>, report: &Report) -> String {
    let units = report.device.compute_units;
    format!(
        "{} of {} local memory a group; {} of {} in flight on {}",
        bytes_text(version.row.local_bytes.unwrap_or(0) as f64),
        bytes_text(report.device.local_memory_bytes as f64),
        version.groups.min(units),
        counted(version.groups, "group"),
        counted(units, "compute unit"),
    )
}

fn smaller_loses(other: Tiled<'_>, best: Tiled<'_>) -> String {
    if other.bytes <= best.bytes {
        return "the matrices fit in one tile of either, and what is left is noise".to_owned();
    }
    format!(
        "it asks global memory for {} times the bytes ({} against {}), and has two barriers for every {} steps instead of every {}",
        significant(other.bytes / best.bytes),
        bytes_text(other.bytes),
        bytes_text(best.bytes),
        other.tile,
        best.tile,
    )
}

/// The strongest reason that the counts give.
fn larger_loses(other: Tiled<'_>, best: Tiled<'_>, report: &Report) -> String {
    let units = report.device.compute_units;
    let (groups, footprint) = (other.groups, footprint(other, report));
    // As many groups as the best has are no reason: the matrices end before the larger tiles do.
    let fewer = groups < best.groups;
    if fewer && groups < units {
        let leave = if groups == 1 { "leaves" } else { "leave" };
        return format!("its {} {leave} compute units idle ({footprint})", counted(groups, "group"));
    }
    if fewer && !groups.is_multiple_of(units) && groups < 4 * units {
        let units = counted(units, "compute unit");
        return format!("its {groups} groups do not divide evenly among {units} ({footprint})");
    }
    if !report.problem.longest_side().is_multiple_of(other.tile) {
        return format!("more of its edge tiles lies outside the matrices ({footprint})");
    }
    let (local, of_best) = (other.row.local_bytes.unwrap_or(0), best.row.local_bytes.unwrap_or(1).max(1));
    if local < FIRST_CACHE {
        return format!("nothing that is counted here says why, and short runs vary: repeat it ({footprint})");
    }
    let growth = significant(local as f64 / of_best as f64);
    format!("{growth} times the local memory is more than the fastest cache keeps at hand ({footprint})")
}

/// What the fastest cache of any CPU of today holds at least, in bytes.
const FIRST_CACHE: usize = 32 << 10;

/// `1 group`, `2 groups`
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn share(other: Tiled<'_>, best: Tiled<'_>) -> String {
    percent(other.gflops / best.gflops)
}

fn percent(share: f64) -> String {
    format!("{} %", significant(100.0 * share))
}
