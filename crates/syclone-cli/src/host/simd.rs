//! One loop, compiled for each instruction set, chosen when it is called.

/// The instruction set that [`versions!`] functions run with here.
pub fn instruction_set() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("fma") {
            return "AVX-512";
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return "AVX2 and FMA";
        }
    }
    "the target's baseline"
}

/// Defines a function whose body is compiled for AVX-512, for AVX2 with FMA and for the baseline.
///
/// The body sees a constant, named by the caller, that says whether fused multiply-add is an instruction there.
macro_rules! versions {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident<$t:ident: $bound:path, const $fused:ident: bool>($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name<$t: $bound>($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            fn body<$t: $bound, const $fused: bool>($($arg: $ty),*) $(-> $ret)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
                fn avx512<$t: $bound>($($arg: $ty),*) $(-> $ret)? {
                    body::<$t, true>($($arg),*)
                }

                #[target_feature(enable = "avx2,fma")]
                fn avx2<$t: $bound>($($arg: $ty),*) $(-> $ret)? {
                    body::<$t, true>($($arg),*)
                }

                let fma = is_x86_feature_detected!("fma");
                if fma
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                {
                    // SAFETY: the processor has just said that it has these instructions.
                    return unsafe { avx512::<$t>($($arg),*) };
                }
                if fma && is_x86_feature_detected!("avx2") {
                    // SAFETY: as above.
                    return unsafe { avx2::<$t>($($arg),*) };
                }
            }
            body::<$t, { cfg!(target_arch = "aarch64") }>($($arg),*)
        }
    };
}

pub(crate) use versions;
