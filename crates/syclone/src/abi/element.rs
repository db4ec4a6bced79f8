//! Elements as the receivers of device methods.

use std::ops::Deref;

/// A copy of an element of memory or of an array, as the receiver of a device method.
///
/// A method that changes its receiver would change only this copy. It has no `DerefMut`, so rustc refuses that, and shows
/// this type's name, which says what to do.
#[derive(Clone, Copy, Debug)]
pub struct CopyOfElementChangeItInAVariableAndStoreItBack<T>(pub T);

impl<T> Deref for CopyOfElementChangeItInAVariableAndStoreItBack<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
