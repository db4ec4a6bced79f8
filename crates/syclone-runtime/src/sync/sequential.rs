//! The model checker's atomics with sequentially consistent accesses, which it takes for acquire and release.
//!
//! It does know sequentially consistent fences. So a load has one before it and a store one after it, as compilers do for
//! processors that have no such accesses: in the order of these fences either the load sees the store, or what came before
//! the load is seen after the store.

use loom::sync::atomic::{self, Ordering, fence};

fn fence_for(order: Ordering) {
    if order == Ordering::SeqCst {
        fence(Ordering::SeqCst);
    }
}

macro_rules! sequential {
    ($name:ident, $value:ty) => {
        #[derive(Debug, Default)]
        pub(crate) struct $name(atomic::$name);

        // Each type needs some of the operations.
        #[allow(dead_code)]
        impl $name {
            pub(crate) fn new(value: $value) -> Self {
                Self(atomic::$name::new(value))
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                fence_for(order);
                self.0.load(order)
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.0.store(value, order);
                fence_for(order);
            }

            pub(crate) fn swap(&self, value: $value, order: Ordering) -> $value {
                self.fenced(order, |atomic| atomic.swap(value, order))
            }

            fn fenced<R>(&self, order: Ordering, access: impl FnOnce(&atomic::$name) -> R) -> R {
                fence_for(order);
                let result = access(&self.0);
                fence_for(order);
                result
            }
        }
    };
    ($name:ident, $value:ty, counts) => {
        sequential!($name, $value);

        // Each type needs some of the operations.
        #[allow(dead_code)]
        impl $name {
            pub(crate) fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.fenced(order, |atomic| atomic.fetch_add(value, order))
            }

            pub(crate) fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                self.fenced(order, |atomic| atomic.fetch_sub(value, order))
            }

            pub(crate) fn fetch_max(&self, value: $value, order: Ordering) -> $value {
                self.fenced(order, |atomic| atomic.fetch_max(value, order))
            }

            pub(crate) fn fetch_min(&self, value: $value, order: Ordering) -> $value {
                self.fenced(order, |atomic| atomic.fetch_min(value, order))
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.fenced(success, |atomic| atomic.compare_exchange(current, new, success, failure))
            }

            pub(crate) fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.fenced(success, |atomic| atomic.compare_exchange_weak(current, new, success, failure))
            }
        }
    };
}

sequential!(AtomicBool, bool);
sequential!(AtomicU64, u64, counts);
sequential!(AtomicUsize, usize, counts);
