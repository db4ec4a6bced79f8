//! A guard of the host's turn stays on its thread, so that a wait that could not end is known to be one.
use syclone::prelude::*;

fn main() -> Result<()> {
    let buffer = Buffer::from_vec(vec![1.0f32; 4]);
    let guard = buffer.host_read()?;
    std::thread::scope(|scope| {
        scope.spawn(move || assert_eq!(guard[0], 1.0));
    });
    Ok(())
}
