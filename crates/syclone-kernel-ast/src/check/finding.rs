//! What a check has found.

/// A kind of mistake in a kernel. What it is called is the business of whoever reports it.
///
/// Users see `syclone_runtime::check::ReportKind`, which has these kinds and those that no kernel has alone, such as a race
/// between two commands. They are two because neither crate knows the other: this one depends on nothing, and the runtime
/// knows nothing of what a kernel is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FindingKind {
    /// Two items access the same bytes, one writes, nothing orders them, and not both are atomic.
    DataRace,
    /// Not every item of a group came to its barrier or group operation.
    Divergence,
    /// Not every item of a sub-group came to its operation.
    SubGroupDivergence,
    /// The items of a group or sub-group pass different spans to a joint algorithm.
    DifferentSpans,
    /// The items of a group or sub-group pass different numbers where its algorithm takes one for all of them.
    DifferentArguments,
    /// Memory was read that nobody had written.
    Unwritten,
    /// An index outside of a parameter or an array.
    OutOfBounds,
    /// An address that is no multiple of what its type needs.
    Misaligned,
    /// An integer result that its type does not hold.
    Overflow,
    /// An integer division or remainder by zero.
    DivisionByZero,
    /// A shift by at least the type's bits.
    ShiftTooFar,
    /// A loop with step zero.
    ZeroStep,
    /// A `clamp` whose lower bound is above its upper one.
    ClampBounds,
    /// A dimension that an id, a range or an extent does not have.
    NoDimension,
    /// Bytes that are no value of their type.
    InvalidValue,
    /// A conversion that gave another number.
    LossyCast,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Location {
    /// The file, as the compiler names it.
    pub file: String,
    /// One-based line.
    pub line: u32,
    /// Zero-based column.
    pub column: u32,
    /// The kernel or device function around it.
    pub function: String,
}

/// One mistake of a launch, however often it was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What kind of mistake.
    pub kind: FindingKind,
    /// Where.
    pub location: Location,
    /// The other place of a mistake that has two, and what happened there.
    pub other: Option<(Location, String)>,
    /// Global ids of the items that made it first, missing dimensions 0 in front: the one at `location`, then the one at
    /// the other place.
    pub items: Vec<[usize; 3]>,
    /// The parameter or array that it is about, if there is one.
    pub parameter: Option<String>,
    /// What happened, in a sentence.
    pub message: String,
    /// What else helps, and what to do.
    pub notes: Vec<String>,
    /// How often it was made.
    pub count: u64,
}
