//! Every benchmark on the device that checks kernels, at sizes for an interpreter: right, and nothing to report.

use crate::common::{run, stderr};

#[test]
#[ignore = "for release builds: cargo test --release -p syclone-cli --test cli -- --ignored checked"]
fn no_benchmark_makes_a_mistake_that_the_checked_device_knows() {
    for bench in [
        "gemm -m 40 -n 33 -k 17 --repeat 1",
        "gemm -m 40 -n 33 -k 17 --dtype f64 --tiles 8,16 --repeat 1",
        "stream -n 20001 --repeat 1",
        "stream -n 20001 --dtype f64 --repeat 1",
        "reduce -n 50001 --repeat 1",
        "stencil -n 70 --repeat 1",
        "launch -n 20 --repeat 1",
    ] {
        let output = run(&format!("bench {bench} --device cpu:check"));
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{bench}: {text}");
        assert!(!text.contains("syclone check"), "{bench}: {text}");
    }
}
