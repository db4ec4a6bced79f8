//! A kernel's arguments at its launch: whose they are, and what they declare.
//!
//! Each handle to global memory carries a number. The handler's own means an access that it has declared, and all that
//! is left is to learn the parameter's name. The number of a USM allocation means memory that is declared here. Any other
//! number is an access of another command group, or USM memory that is gone.

use syclone_runtime::{Access, AccessMode, Device, Error, Name, Result, RowShape};

use super::usm;
use crate::kernel::param::ParamKind;
use crate::kernel::{ParamInfo, ParamTuple};

/// Checks the arguments `params` of the command number `command`, and adds to `accesses` what they declare.
///
/// `name_of` gives a parameter's name, for the errors of the command.
pub(crate) fn bind(
    kernel: &Name,
    name_of: &dyn Fn(usize) -> Option<&'static str>,
    params: &impl ParamTuple,
    device: &Device,
    command: u64,
    accesses: &mut Vec<Option<Access>>,
) -> Result<()> {
    let (mut result, mut named) = (Ok(()), 0);
    params.each(&mut |position, info| {
        let (Some(number), Some((address, bytes)), Ok(())) = (info.command, info.memory, &result) else {
            return;
        };
        let parameter = Name::Borrowed(name_of(position).unwrap_or("parameter"));
        if number == command {
            name_access(accesses, &mut named, info, address, bytes, parameter);
        } else {
            match usm_access(kernel, device, number, info, address, bytes, parameter) {
                Ok(access) => accesses.push(Some(access)),
                Err(error) => result = Err(error),
            }
        }
    });
    result
}

/// [`bind`] for a kernel without a command group, which takes USM memory and plain values only: the accesses go to
/// `accesses`, whose length is returned.
pub(crate) fn bind_usm(
    kernel: &Name,
    name_of: &dyn Fn(usize) -> Option<&'static str>,
    params: &impl ParamTuple,
    device: &Device,
    accesses: &mut [Option<Access>],
) -> Result<usize> {
    let (mut result, mut len) = (Ok(()), 0);
    params.each(&mut |position, info| {
        let (Some(number), Some((address, bytes)), Ok(())) = (info.command, info.memory, &result) else {
            return;
        };
        let parameter = Name::Borrowed(name_of(position).unwrap_or("parameter"));
        match usm_access(kernel, device, number, info, address, bytes, parameter) {
            Ok(access) => {
                accesses[len] = Some(access);
                len += 1;
            }
            Err(error) => result = Err(error),
        }
    });
    result.map(|()| len)
}

/// Gives the declared access of these bytes the parameter's name. If there are several, each has its own parameter: `named`
/// has a bit for each of the first accesses that has its name.
fn name_access(
    accesses: &mut [Option<Access>],
    named: &mut u64,
    info: ParamInfo,
    address: usize,
    bytes: usize,
    parameter: Name,
) {
    let same = |access: &Access| {
        access.object.ptr().addr() + access.range.start == address
            && access.range.len() == bytes
            && access.mode.writes() == mode(info).writes()
    };
    let bits = (0..u64::BITS).map(|bit| 1 << bit).chain(std::iter::repeat(0));
    for (access, bit) in accesses.iter_mut().zip(bits) {
        if let Some(access) = access.as_mut().filter(|access| *named & bit == 0 && same(access)) {
            access.parameter = parameter;
            *named |= bit;
            return;
        }
    }
}

fn usm_access(
    kernel: &Name,
    device: &Device,
    number: u64,
    info: ParamInfo,
    address: usize,
    bytes: usize,
    parameter: Name,
) -> Result<Access> {
    let stale = || Error::StaleArgument { command: kernel.clone(), parameter: parameter.clone() };
    let allocation = usm::find(number).ok_or_else(stale)?;
    if let Some(owner) = allocation.device.as_ref().filter(|&owner| owner != device) {
        return Err(Error::ForeignArgument {
            command: kernel.clone(),
            parameter,
            device: device.info().selector.clone(),
            owner: owner.info().selector.clone(),
        });
    }
    // Numbers are never used twice, so the handle was made from this very allocation and lies inside it.
    let start = address.checked_sub(allocation.object.ptr().addr()).ok_or_else(stale)?;
    let rows = info.rows.map(|(row_bytes, pitch)| RowShape { row_bytes, pitch });
    Ok(Access { rows, ..Access::range(&allocation.object, mode(info), start..start + bytes, parameter) })
}

fn mode(info: ParamInfo) -> AccessMode {
    match info.kind {
        ParamKind::View => AccessMode::Read,
        _ => AccessMode::ReadWrite,
    }
}
