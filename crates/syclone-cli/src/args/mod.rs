//! The command line: every command and option, and the one-line errors for what cannot be followed.

mod errors;
#[cfg(test)]
mod tests;
mod values;

use clap::{Args, Parser, Subcommand};

pub use errors::{Stop, parse};
pub use values::{Destination, Dtype};

/// Portable kernels in Rust: what devices there are, and how fast kernels run on them.
#[derive(Debug, Parser)]
#[command(name = "syclone", version, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The program's commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List every device with its limits, and the string that --device and SYCLONE_DEVICE take
    Devices(DevicesArgs),
    /// Measure kernels, each verified
    #[command(subcommand)]
    Bench(Bench),
}

/// Options of `syclone devices`.
#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// The same matrix product as plain loops and as portable kernels, and why blocked ones are fast
    Gemm(GemmArgs),
    /// Memory bandwidth: copy, mul, add, triad and dot as BabelStream defines them
    Stream(StreamArgs),
    /// Sums: a local-memory tree with barriers, a sub-group shuffle tree, and `reduction`
    Reduce(ReduceArgs),
    /// A 5-point stencil on a square grid
    Stencil(StencilArgs),
    /// What launching an empty kernel costs
    Launch(LaunchArgs),
}

/// The options that every benchmark takes.
#[derive(Debug, Args)]
pub struct Common {
    /// The device, as `syclone devices` prints it [default: SYCLONE_DEVICE, or else cpu]
    #[arg(long, value_name = "SEL")]
    pub device: Option<String>,
    /// Timed runs of each version, after one warm-up run that is not counted
    #[arg(long, value_name = "R", default_value_t = 10, value_parser = values::repeat, allow_negative_numbers = true)]
    pub repeat: usize,
    // Negative numbers are let through everywhere so that what is wrong with them is said by whoever knows what is right.
    /// Seed of the random inputs [default: a new one each time, printed]
    #[arg(long, value_name = "S", value_parser = values::seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Write the report as JSON (- for standard output, alone there)
    #[arg(long, value_name = "FILE")]
    pub json: Option<Destination>,
    /// Write the report as one self-contained HTML page (- for standard output, alone there)
    #[arg(long, value_name = "FILE")]
    pub html: Option<Destination>,
    /// Write the rows as CSV (- for standard output, alone there)
    #[arg(long, value_name = "FILE")]
    pub csv: Option<Destination>,
}

/// Options of `syclone bench gemm`.
#[derive(Debug, Args)]
pub struct GemmArgs {
    /// Columns of the product; M and K are the same unless given
    #[arg(short = 'n', value_name = "N", default_value_t = 1024, value_parser = values::positive, allow_negative_numbers = true)]
    pub n: usize,
    /// Rows of the product [default: N]
    #[arg(short = 'm', value_name = "M", value_parser = values::positive, allow_negative_numbers = true)]
    pub m: Option<usize>,
    /// The inner size [default: N]
    #[arg(short = 'k', value_name = "K", value_parser = values::positive, allow_negative_numbers = true)]
    pub k: Option<usize>,
    /// Tile sizes of the tiled versions
    #[arg(long, value_name = "B,…", value_delimiter = ',', default_value = "8,16,32", value_parser = values::tile, allow_hyphen_values = true)]
    pub tiles: Vec<usize>,
    /// Element type: f32 or f64
    #[arg(long, value_name = "T", default_value_t = Dtype::F32)]
    pub dtype: Dtype,
    /// What every benchmark takes.
    #[command(flatten)]
    pub common: Common,
}

/// Options of `syclone bench stream`.
#[derive(Debug, Args)]
pub struct StreamArgs {
    /// Elements of each of the three arrays
    #[arg(short = 'n', value_name = "N", default_value_t = 1 << 25, value_parser = values::positive, allow_negative_numbers = true)]
    pub n: usize,
    /// Element type: f32 or f64
    #[arg(long, value_name = "T", default_value_t = Dtype::F32)]
    pub dtype: Dtype,
    /// What every benchmark takes.
    #[command(flatten)]
    pub common: Common,
}

/// Options of `syclone bench reduce`.
#[derive(Debug, Args)]
pub struct ReduceArgs {
    /// Elements to add up (f32)
    #[arg(short = 'n', value_name = "N", default_value_t = 1 << 24, value_parser = values::positive, allow_negative_numbers = true)]
    pub n: usize,
    /// What every benchmark takes.
    #[command(flatten)]
    pub common: Common,
}

/// Options of `syclone bench stencil`.
#[derive(Debug, Args)]
pub struct StencilArgs {
    /// Rows and columns of the grid (f32)
    #[arg(short = 'n', value_name = "N", default_value_t = 4096, value_parser = values::positive, allow_negative_numbers = true)]
    pub n: usize,
    /// What every benchmark takes.
    #[command(flatten)]
    pub common: Common,
}

/// Options of `syclone bench launch`.
#[derive(Debug, Args)]
pub struct LaunchArgs {
    /// Launches of each timed run
    #[arg(short = 'n', long = "kernels-per-sample", value_name = "N", default_value_t = 1000, value_parser = values::launches, allow_negative_numbers = true)]
    pub n: usize,
    /// Only versions on in-order queues, or with =false only those on out-of-order ones
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub in_order: Option<bool>,
    /// Only versions that make an event for each launch, or with =false only those that make none
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub events: Option<bool>,
    /// Only versions whose time lasts until the kernels have ended, or with =false until they are submitted
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub measure_completion: Option<bool>,
    /// What every benchmark takes.
    #[command(flatten)]
    pub common: Common,
}
