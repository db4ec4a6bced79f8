//! Checks for tests: a program on a checked device, and nothing found.

use syclone_runtime::Device;
use syclone_runtime::check::Report;

/// Takes the device's reports, and gives their text if one of them is a mistake, or with `notes` if there are any.
#[doc(hidden)]
pub fn unclean(device: &Device, notes: bool) -> Option<String> {
    let reports: Vec<Report> =
        device.take_reports().into_iter().filter(|report| notes || !report.kind.is_note()).collect();
    if reports.is_empty() {
        return None;
    }
    let texts: Vec<String> = reports.iter().map(ToString::to_string).collect();
    Some(format!("{} has found {} mistakes:\n\n{}", device.info().selector, texts.len(), texts.join("\n\n")))
}

/// Panics with the text of all that a checked device has found since its reports were last taken, if there is any.
///
/// `assert_clean!(device)` lets notes pass, `assert_clean!(device, notes)` does not. Wait for the commands first. A device
/// without checks finds nothing, and passing one is a mistake of the test: that panics, too.
///
/// ```
/// use syclone::prelude::*;
///
/// #[kernel]
/// fn double(item: Item<1>, x: ItemMut<u32>) {
///     x[item] *= 2;
/// }
///
/// # fn main() -> Result<()> {
/// let device = Device::cpu_checked()?;
/// let queue = Queue::new(&device)?;
/// let x = Buffer::from_vec(vec![1, 2, 3]);
/// queue.submit(|h| h.parallel_for(3, double(x.read_write(h))))?.wait()?;
/// syclone::assert_clean!(device);
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! assert_clean {
    ($device:expr) => {
        $crate::assert_clean!(@ $device, false)
    };
    ($device:expr, notes) => {
        $crate::assert_clean!(@ $device, true)
    };
    (@ $device:expr, $notes:expr) => {
        match &$device {
            device if !device.is_checked() => {
                panic!("{} makes no checks: use `cpu:check` or `Device::cpu_checked()`", device.info().selector)
            }
            device => {
                if let Some(text) = $crate::check::unclean(device, $notes) {
                    panic!("{text}");
                }
            }
        }
    };
}
