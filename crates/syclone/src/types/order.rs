//! Memory orders and scopes of atomic operations and fences.

/// What an atomic operation or fence orders, as SYCL's `memory_order`.
///
/// ```
/// use syclone::types::Order;
/// assert_eq!(Order::default(), Order::Relaxed);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// Only the operation itself is atomic.
    #[default]
    Relaxed,
    /// Later accesses stay after it.
    Acquire,
    /// Earlier accesses stay before it.
    Release,
    /// Both.
    AcqRel,
    /// Both, in one order that all items of the scope agree on.
    SeqCst,
}

/// Which work-items an order holds for, as SYCL's `memory_scope`.
///
/// ```
/// use syclone::types::Scope;
/// assert_eq!(Scope::default(), Scope::Device);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scope {
    /// The item alone.
    WorkItem,
    /// The items of its sub-group.
    SubGroup,
    /// The items of its work-group.
    WorkGroup,
    /// Every item on the device.
    #[default]
    Device,
    /// Every item on every device, and the host.
    System,
}
