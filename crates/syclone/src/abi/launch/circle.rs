//! Device functions that call each other in a circle, which no device can run: devices have no stack.
//!
//! The macro sees a function that calls itself. A circle of several is seen only when functions are bound to each other,
//! so it is looked for at a kernel's first launch, and only if the kernel calls device functions at all.

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, PoisonError, RwLock};

use syclone_kernel_ast::infer::{InferErrorKind, infer};
use syclone_runtime::{Error, Name, Result};

use crate::abi::kernel::{Kernel, KernelMeta};
use crate::types::builtins::MathBuiltins;

/// The circle of each kernel that was looked at, if it has one.
static SEEN: LazyLock<RwLock<HashMap<TypeId, Option<String>>>> = LazyLock::new(RwLock::default);

thread_local! {
    /// Kernels without a circle that this thread has launched, so that launching again and again takes no lock.
    static FINE: RefCell<HashSet<TypeId>> = RefCell::default();
}

/// An error if the kernel's device functions call each other in a circle.
pub fn check<const D: usize, K: Kernel<D>>(kernel: &K, meta: &KernelMeta<D>) -> Result<()> {
    if !meta.calls {
        return Ok(());
    }
    let id = TypeId::of::<K>();
    if FINE.with_borrow(|fine| fine.contains(&id)) {
        return Ok(());
    }
    // Nothing panics under the lock, so a poisoned map is still whole.
    let seen = SEEN.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
    let circle = seen.unwrap_or_else(|| {
        let found = circle(kernel);
        SEEN.write().unwrap_or_else(PoisonError::into_inner).entry(id).or_insert(found).clone()
    });
    match circle {
        None => {
            FINE.with_borrow_mut(|fine| fine.insert(id));
            Ok(())
        }
        Some(circle) => Err(Error::LaunchShape {
            kernel: Name::Borrowed(meta.name),
            problem: format!("device functions call each other in a circle: {circle}"),
            advice: "write the recursion as a loop".to_owned(),
        }),
    }
}

/// The functions of a circle, the first again at the end. What else inference may have to say is the interpreter's to say.
fn circle<const D: usize, K: Kernel<D>>(kernel: &K) -> Option<String> {
    let error = infer(&kernel.bound(), &MathBuiltins).err()?;
    match error.kind {
        // Calls that are only nested too deep do not end where they began.
        InferErrorKind::Recursion { cycle } if cycle.first() == cycle.last() => Some(cycle.join(" -> ")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::PoisonError;

    use super::SEEN;
    use crate::api::launch::tests::launches_go_on_while;

    #[test]
    fn launches_of_a_kernel_that_calls_functions_do_not_lock_the_list_of_circles() {
        launches_go_on_while(|| SEEN.write().unwrap_or_else(PoisonError::into_inner));
    }
}
