//! Checks of a launch against a device's limits, made before anything is submitted.

use crate::{Device, Error, Name, Result};

impl Device {
    /// Checks an nd-range: every work-group size is at least 1, within the device's limits, and divides the
    /// global size (which may be zero: nothing runs then). `global` and `local` have one entry a dimension.
    pub fn check_nd_range(&self, kernel: &Name, global: &[usize], local: &[usize]) -> Result<()> {
        let info = self.info();
        let too_large = |dimension, asked, limit| Error::WorkGroupTooLarge {
            kernel: kernel.clone(),
            device: info.selector.clone(),
            dimension,
            asked,
            limit,
        };
        if let Some(dimension) = local.iter().position(|&size| size == 0) {
            return Err(Error::WorkGroupSizeZero { kernel: kernel.clone(), dimension });
        }
        for (dimension, (&size, &limit)) in local.iter().zip(&info.max_work_item_sizes).enumerate() {
            if size > limit {
                return Err(too_large(Some(dimension), size, limit));
            }
        }
        let items = local.iter().fold(1usize, |product, &size| product.saturating_mul(size));
        if items > info.max_work_group_size {
            return Err(too_large(None, items, info.max_work_group_size));
        }
        for (dimension, (&global, &local)) in global.iter().zip(local).enumerate() {
            if !global.is_multiple_of(local) {
                return Err(Error::WorkGroupDoesNotDivide { kernel: kernel.clone(), dimension, global, local });
            }
        }
        Ok(())
    }

    /// Checks the local memory that one work-group asks for. `largest_tile` goes into the error's advice.
    pub fn check_local_memory(&self, kernel: &Name, bytes: usize, largest_tile: Option<usize>) -> Result<()> {
        let limit = self.info().local_memory_bytes;
        if bytes <= limit {
            return Ok(());
        }
        Err(Error::LocalMemoryTooLarge {
            kernel: kernel.clone(),
            device: self.info().selector.clone(),
            asked: bytes,
            limit,
            largest_tile,
        })
    }

    /// Checks a sub-group size that a launch asks for.
    pub fn check_sub_group_size(&self, kernel: &Name, size: usize) -> Result<()> {
        let supported = &self.info().sub_group_sizes;
        if supported.contains(&size) {
            return Ok(());
        }
        Err(Error::SubGroupSizeUnsupported {
            kernel: kernel.clone(),
            device: self.info().selector.clone(),
            asked: size,
            supported: supported.clone(),
        })
    }
}
