//! What a device can do beyond the minimum, in SYCL 2020's terms.

use std::fmt;

macro_rules! aspects {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A feature that some devices have and others lack.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Aspect { $($(#[$doc])* $name,)* }

        impl Aspect {
            /// Every aspect, in the order of their declaration.
            pub const ALL: &'static [Aspect] = &[$(Aspect::$name,)*];

            /// SYCL's name of the aspect.
            pub const fn name(self) -> &'static str {
                match self { $(Aspect::$name => $text,)* }
            }
        }
    };
}

aspects! {
    /// A CPU.
    Cpu = "cpu",
    /// A GPU.
    Gpu = "gpu",
    /// Kernels can be stepped through in an ordinary debugger.
    HostDebuggable = "host_debuggable",
    /// 16-bit floats in kernels.
    Fp16 = "fp16",
    /// 64-bit floats in kernels.
    Fp64 = "fp64",
    /// Atomics on 64-bit values.
    Atomic64 = "atomic64",
    /// Events can give profiling times.
    QueueProfiling = "queue_profiling",
    /// Device USM.
    UsmDeviceAllocations = "usm_device_allocations",
    /// Host USM.
    UsmHostAllocations = "usm_host_allocations",
    /// Shared USM.
    UsmSharedAllocations = "usm_shared_allocations",
    /// Kernels can use any memory of the process.
    UsmSystemAllocations = "usm_system_allocations",
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of aspects.
///
/// ```
/// use syclone_runtime::{Aspect, Aspects};
///
/// let aspects: Aspects = [Aspect::Fp64, Aspect::Cpu].into_iter().collect();
/// assert!(aspects.contains(Aspect::Fp64) && !aspects.contains(Aspect::Gpu));
/// assert_eq!(aspects.iter().map(Aspect::name).collect::<Vec<_>>(), ["cpu", "fp64"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Aspects(u64);

impl Aspects {
    /// Whether the set holds `aspect`.
    pub const fn contains(self, aspect: Aspect) -> bool {
        self.0 & (1 << aspect as u64) != 0
    }

    /// The members, in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = Aspect> {
        Aspect::ALL.iter().copied().filter(move |&aspect| self.contains(aspect))
    }
}

impl FromIterator<Aspect> for Aspects {
    fn from_iter<I: IntoIterator<Item = Aspect>>(aspects: I) -> Self {
        Aspects(aspects.into_iter().fold(0, |bits, aspect| bits | (1 << aspect as u64)))
    }
}

impl fmt::Debug for Aspects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
