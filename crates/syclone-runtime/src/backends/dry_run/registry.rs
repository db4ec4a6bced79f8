//! Which dry-run devices selectors find: those of the file that `SYCLONE_DRY_RUN` names, then those that were registered.

use std::path::Path;
use std::sync::{Mutex, OnceLock};

use super::{DryRun, DryRunOptions, config};
use crate::node::NO_PANIC;
use crate::{Device, Error, Result};

/// The variable that names the file.
const VARIABLE: &str = "SYCLONE_DRY_RUN";

static REGISTERED: Mutex<Vec<Device>> = Mutex::new(Vec::new());

/// The devices, in the order of their indices.
pub(crate) fn devices() -> Vec<Device> {
    let from_file = from_file().as_deref().unwrap_or_default();
    from_file.iter().chain(&*REGISTERED.lock().expect(NO_PANIC)).cloned().collect()
}

/// Why the file gives no devices, if it should.
pub(crate) fn file_error() -> Option<Error> {
    from_file().as_ref().err().cloned()
}

/// Makes a device with the next free index.
pub(super) fn add(options: DryRunOptions) -> Result<DryRun> {
    let before = from_file().as_ref().map_or(0, Vec::len);
    let mut registered = REGISTERED.lock().expect(NO_PANIC);
    let dry = options.with_selector(selector(before + registered.len()))?;
    registered.push(dry.device().clone());
    Ok(dry)
}

/// The file's devices, read on first use.
fn from_file() -> &'static Result<Vec<Device>> {
    static DEVICES: OnceLock<Result<Vec<Device>>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let Some(path) = crate::environment::variable(VARIABLE) else {
            return Ok(Vec::new());
        };
        let options = config::read(Path::new(&path))?;
        let numbered = options.into_iter().enumerate();
        numbered.map(|(index, options)| Ok(options.with_selector(selector(index))?.device().clone())).collect()
    })
}

fn selector(index: usize) -> String {
    format!("dry:{index}")
}
