//! What a kernel needs of its device that not every device has: SYCL's optional kernel features.
//!
//! Nobody declares them: the types that a kernel computes with say it all. They are looked for only if the device lacks
//! a feature, and once for each kernel, so that a device with all of them, as the CPU is, pays nothing.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use syclone_kernel_ast::infer::infer;
use syclone_kernel_ast::types::Type;
use syclone_runtime::{Aspect, Aspects, Device, Error, Name, Result};

use crate::abi::kernel::{Kernel, KernelMeta};
use crate::types::builtins::MathBuiltins;

/// A feature, and which types need it.
type Feature = (Aspect, fn(&Type) -> bool);

const FEATURES: [Feature; 3] = [
    (Aspect::Fp64, |ty| matches!(ty, Type::F64)),
    (Aspect::Fp16, |ty| matches!(ty, Type::F16)),
    (Aspect::Atomic64, |ty| matches!(ty, Type::AtomicView(of, _) | Type::AtomicRef(of) if of.any(&is_wide))),
];

/// What each kernel needs that was asked for.
static SEEN: LazyLock<RwLock<HashMap<TypeId, Aspects>>> = LazyLock::new(RwLock::default);

fn is_wide(ty: &Type) -> bool {
    match ty {
        Type::Int(kind) => kind.bits() == 64,
        Type::F64 => true,
        _ => false,
    }
}

/// An error if the kernel needs what the device lacks.
pub fn check<const D: usize, K: Kernel<D>>(device: &Device, kernel: &K, meta: &KernelMeta<D>) -> Result<()> {
    if FEATURES.iter().all(|&(aspect, _)| device.has(aspect)) {
        return Ok(());
    }
    let id = TypeId::of::<K>();
    // Nothing panics under the lock, so a poisoned map is still whole.
    let seen = SEEN.read().unwrap_or_else(PoisonError::into_inner).get(&id).copied();
    let needed = seen.unwrap_or_else(|| {
        let found = needs(kernel);
        *SEEN.write().unwrap_or_else(PoisonError::into_inner).entry(id).or_insert(found)
    });
    match needed.iter().find(|&aspect| !device.has(aspect)) {
        None => Ok(()),
        Some(aspect) => Err(Error::KernelNotSupported {
            kernel: Name::Borrowed(meta.name),
            device: device.info().selector.clone(),
            aspect,
        }),
    }
}

/// The features whose types the kernel, or a function that it calls, has. A tree without types is the interpreter's to report.
fn needs<const D: usize, K: Kernel<D>>(kernel: &K) -> Aspects {
    let Ok(program) = infer(&kernel.bound(), &MathBuiltins) else { return Aspects::default() };
    FEATURES.iter().filter(|(_, test)| program.any_type(test)).map(|&(aspect, _)| aspect).collect()
}
