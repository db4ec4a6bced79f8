//! Finding the device functions that a function calls by a type's path, as `Type::f(x)`.
//!
//! Tables that named the hidden form of such a function by the same path would be a second error where the type has none. So
//! they look it up as a method, for which a trait can stand in that has it for all types, and leave the error to the native
//! form. A method needs a value, which not every type can give: a pointer to one does as well.

use std::mem::{ManuallyDrop, MaybeUninit};
use std::rc::Rc;

use syclone_kernel_ast::types::BindFn;

/// Every type, as what a path starts with.
pub trait OfType: Sized {
    /// The tree that `find` finds as a method of a pointer to the type.
    fn __of_type(find: impl FnOnce(&Rc<Self>) -> BindFn) -> BindFn {
        let nowhere = Rc::into_raw(Rc::<Self>::new_uninit());
        // SAFETY: a `MaybeUninit` has the size and alignment of what it may hold. Nobody reads or drops the value: `find`
        // comes from a macro and only passes the pointer on to a hidden function, which does not look at it.
        let pointer = ManuallyDrop::new(unsafe { Rc::from_raw(nowhere.cast::<Self>()) });
        let found = find(&pointer);
        // SAFETY: as above, and `pointer`, which is not dropped, was the only one.
        drop(unsafe { Rc::from_raw(Rc::into_raw(ManuallyDrop::into_inner(pointer)).cast::<MaybeUninit<Self>>()) });
        found
    }
}

impl<T> OfType for T {}

/// What a type that kernels call a function of has: the function as a device function.
///
/// No type has it. A trait of a macro's that is for all types that have it is in scope of each call, so that rustc says this
/// where a type has no such device function.
#[diagnostic::on_unimplemented(
    message = "no function of this name can be called in a kernel",
    label = "neither built in nor a `#[device_fn]`",
    note = "write `#[device_fn]` above the `impl` block or the trait that has the function"
)]
pub trait DeviceFunction {}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::OfType;
    use crate::abi::{BoundFunction, Tables, bind};

    enum Nothing {}

    struct Loud(#[allow(dead_code, reason = "only its size matters")] String);

    impl Drop for Loud {
        fn drop(&mut self) {
            panic!("no value was made");
        }
    }

    fn tree() -> Arc<BoundFunction> {
        bind("", Tables::default())
    }

    #[test]
    fn a_type_is_asked_without_a_value_of_it() {
        fn found<T: OfType>() -> bool {
            let mut asked = 0;
            let found = T::__of_type(|_| {
                asked += 1;
                tree
            });
            // A function has as many addresses in Miri as places that name it.
            asked == 1 && (cfg!(miri) || std::ptr::fn_addr_eq(found, tree as fn() -> _))
        }
        assert!(found::<Nothing>() && found::<Loud>() && found::<()>() && found::<[u64; 100]>());
    }
}
