//! What the hardware is: the processor's name and how much memory the process may use.

use std::fs;

use crate::environment::printable;

/// The processor's own name, or at least its architecture.
pub(crate) fn processor_name() -> String {
    let listed = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let value = |line: &str| line.split_once(':').map(|(_, value)| value.trim().to_owned());
        ["model name", "Model", "Hardware"]
            .iter()
            .find_map(|key| text.lines().find(|line| line.starts_with(key)).and_then(value))
    });
    listed
        .filter(|name| !name.is_empty())
        .or_else(brand_string)
        .map(|name| printable(&name))
        .unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))
}

/// The name that the processor itself reports, for systems without `/proc`.
#[cfg(target_arch = "x86_64")]
fn brand_string() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    if __cpuid(0x8000_0000).eax < 0x8000_0004 {
        return None;
    }
    let bytes: Vec<u8> = (0x8000_0002..=0x8000_0004)
        .flat_map(|leaf| {
            let part = __cpuid(leaf);
            [part.eax, part.ebx, part.ecx, part.edx]
        })
        .flat_map(u32::to_le_bytes)
        .take_while(|&byte| byte != 0)
        .collect();
    let name = String::from_utf8(bytes).ok()?.trim().to_owned();
    (!name.is_empty()).then_some(name)
}

#[cfg(not(target_arch = "x86_64"))]
fn brand_string() -> Option<String> {
    None
}

/// Physical memory, or the control group's limit if that is less. Where neither can be read, the address space.
pub(crate) fn memory_bytes() -> usize {
    let physical = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        let kibibytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
        kibibytes.checked_mul(1024)
    });
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let group = limits.iter().filter_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok()).min();
    let address_space = isize::MAX.unsigned_abs();
    physical.unwrap_or(address_space).min(group.unwrap_or(address_space))
}
