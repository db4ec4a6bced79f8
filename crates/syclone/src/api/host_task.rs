//! What a host task sees of its command's memory.

use syclone_runtime::{Error, Name, Result};

use super::access::{RawAccess, ReadAccess, ReadWriteAccess, WriteAccess};
use super::rows::{RowsMut, RowsRef};
use crate::types::DeviceCopy;

/// The turn of a running host task at the memory that its command group declared.
#[derive(Debug)]
pub struct HostTask {
    command: u64,
}

impl HostTask {
    pub(crate) fn new(command: u64) -> Self {
        HostTask { command }
    }

    /// The elements of an access of this command, in row-major order.
    ///
    /// The error says if the access was made in another command group, or if its rows are apart.
    pub fn read<'t, T: DeviceCopy, const D: usize>(&'t self, access: &'t ReadAccess<T, D>) -> Result<&'t [T]> {
        self.check(&access.0)?;
        dense(&access.0)?;
        // SAFETY: the access declared a read of these elements to the command, and this is the command's turn: it
        // lasts as long as `self`, which only the running task has.
        Ok(unsafe { std::slice::from_raw_parts(access.0.ptr, access.0.len()) })
    }

    /// The elements of a writing access of this command, in row-major order; they hold what was there before.
    ///
    /// The error says if the access was made in another command group, or if its rows are apart.
    pub fn write<'t, T: DeviceCopy, const D: usize>(
        &'t self,
        access: &'t mut (impl HostWritable<T, D> + 't),
    ) -> Result<&'t mut [T]> {
        let access = access.raw();
        self.check(access)?;
        dense(access)?;
        // SAFETY: as for `read`; a writing access can't be cloned, is borrowed mutably, and no other access of the
        // command overlaps it.
        Ok(unsafe { std::slice::from_raw_parts_mut(access.ptr, access.len()) })
    }

    /// The rows of an access of this command, which may be pitched.
    pub fn read_rows<'t, T: DeviceCopy, const D: usize>(
        &'t self,
        access: &'t ReadAccess<T, D>,
    ) -> Result<RowsRef<'t, T, D>> {
        self.check(&access.0)?;
        // SAFETY: as for `read`, row by row.
        Ok(unsafe { RowsRef::new(access.0.ptr, access.0.extents, access.0.pitch) })
    }

    /// The rows of a writing access of this command, which may be pitched; they hold what was there before.
    pub fn write_rows<'t, T: DeviceCopy, const D: usize>(
        &'t self,
        access: &'t mut (impl HostWritable<T, D> + 't),
    ) -> Result<RowsMut<'t, T, D>> {
        let access = access.raw();
        self.check(access)?;
        // SAFETY: as for `write`, row by row.
        Ok(unsafe { RowsMut::new(access.ptr, access.extents, access.pitch) })
    }

    fn check<T, const D: usize>(&self, access: &RawAccess<T, D>) -> Result<()> {
        if access.command == self.command {
            return Ok(());
        }
        Err(Error::StaleArgument { command: Name::Borrowed("host task"), parameter: Name::Borrowed("access") })
    }
}

/// An error if the elements of an access are not one slice.
fn dense<T, const D: usize>(access: &RawAccess<T, D>) -> Result<()> {
    if access.is_dense() {
        return Ok(());
    }
    Err(Error::RowsApart { command: Name::Borrowed("host task"), row: access.extents[D - 1], pitch: access.pitch })
}

mod sealed {
    use super::RawAccess;

    pub trait Raw<T, const D: usize> {
        fn raw(&mut self) -> &RawAccess<T, D>;
    }
}

/// The accesses that a host task may write: [`WriteAccess`] and [`ReadWriteAccess`].
pub trait HostWritable<T, const D: usize>: sealed::Raw<T, D> {}

macro_rules! host_writable {
    ($($access:ident)*) => {$(
        impl<T, const D: usize> sealed::Raw<T, D> for $access<T, D> {
            fn raw(&mut self) -> &RawAccess<T, D> {
                &self.0
            }
        }

        impl<T, const D: usize> HostWritable<T, D> for $access<T, D> {}
    )*};
}

host_writable!(WriteAccess ReadWriteAccess);
