use std::ffi::OsString;

use super::errors::Stop;
use super::{Bench, Cli, Command, Destination, Dtype, parse};

fn read(line: &str) -> Result<Cli, Stop> {
    parse(line.split_whitespace().map(OsString::from))
}

fn mistake(line: &str) -> String {
    match read(line) {
        Err(Stop::Mistake(text)) => text,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn gemm_has_the_documented_defaults() {
    let Ok(Cli { command: Command::Bench(Bench::Gemm(args)) }) = read("syclone bench gemm") else {
        panic!("the plain command must parse")
    };
    assert_eq!((args.n, args.m, args.k), (1024, None, None));
    assert_eq!(args.tiles, [8, 16, 32]);
    assert_eq!(args.dtype, Dtype::F32);
    assert_eq!(args.common.json, None);
}

#[test]
fn a_dash_means_standard_output() {
    let Ok(Cli { command: Command::Bench(Bench::Stream(args)) }) = read("syclone bench stream --json - --csv a.csv")
    else {
        panic!("must parse")
    };
    assert_eq!(args.common.json, Some(Destination::Stdout));
    assert_eq!(args.common.csv, Some(Destination::File("a.csv".into())));
}

#[test]
fn every_mistake_is_one_line_that_says_what_is_allowed() {
    for (line, expected) in [
        ("syclone", "the commands of 'syclone' are devices, bench"),
        ("syclone bench", "gemm, stream, reduce, stencil, launch"),
        ("syclone bench gem", "gemm, stream, reduce, stencil, launch"),
        ("syclone bench gemm --tile 8", "--tiles"),
        ("syclone bench gemm --frobnicate", "--device, --repeat, --seed, --json, --html, --csv"),
        ("syclone bench gemm -n 0", "a whole number from 1"),
        ("syclone bench gemm -n -5", "invalid value '-5' for '-n <N>': a whole number from 1"),
        ("syclone bench gemm -n -5.5", "a whole number from 1"),
        ("syclone bench gemm -m -1", "a whole number from 1"),
        ("syclone bench stream -n -5", "a whole number from 1"),
        ("syclone bench launch --repeat -2", "a whole number from 1"),
        ("syclone bench launch -n 0", "a whole number from 1 to 1000000 is needed"),
        ("syclone bench launch -n 1000001", "a whole number from 1 to 1000000 is needed"),
        ("syclone bench launch --in-order=maybe", "true, false"),
        ("syclone bench launch --in-order maybe", "unexpected argument 'maybe'"),
        ("syclone bench gemm --tiles -3", "'-3' for '--tiles <B,…>': a tile is a whole number of at least 1"),
        ("syclone bench gemm --tiles -3,8", "a tile is a whole number of at least 1"),
        ("syclone bench gemm --tiles 8,-3", "a tile is a whole number of at least 1"),
        ("syclone bench gemm --seed -1", "a seed is a whole number from 0 to 18446744073709551615"),
        ("syclone bench gemm --seed abc", "a seed is a whole number from 0 to 18446744073709551615"),
        ("syclone bench gemm --seed 18446744073709551616", "a seed is a whole number from 0 to 18446744073709551615"),
        ("syclone bench gemm -n 99999999999999999999999", "a whole number from 1"),
        ("syclone bench gemm -n many", "a whole number from 1"),
        ("syclone bench gemm --repeat 0", "a whole number from 1"),
        ("syclone bench gemm --repeat 1000001", "a whole number from 1 to 1000000 is needed"),
        ("syclone bench stream --repeat 18446744073709551615", "a whole number from 1 to 1000000 is needed"),
        ("syclone bench gemm --tiles 7,0", "a whole number of at least 1"),
        ("syclone bench gemm --tiles ,", "a whole number of at least 1"),
        ("syclone bench gemm --dtype f99", "f32 and f64"),
        ("syclone bench gemm --seed", "--seed"),
    ] {
        let text = mistake(line);
        assert!(text.contains(expected), "{line}: {text}");
        assert_eq!(text.lines().count(), 1, "{line}: {text}");
    }
}

#[test]
fn a_near_miss_is_named() {
    let text = mistake("syclone bench gemm --tils 8");
    assert!(text.contains("did you mean '--tiles'?"), "{text}");
}

#[test]
fn help_and_version_are_no_mistakes() {
    for line in ["syclone --help", "syclone --version", "syclone bench gemm --help"] {
        assert!(matches!(read(line), Err(Stop::Print(_))), "{line}");
    }
}

#[test]
fn a_bad_value_names_the_option_as_it_was_written() {
    let named = |line: &str| {
        let text = mistake(line);
        assert!(text.contains(": a whole number from 1 to 1000000 is needed"), "{text}");
        text.split('\'').nth(3).expect("the option between quotes").to_owned()
    };
    assert_eq!(named("syclone bench launch -n 0"), "-n <N>");
    assert_eq!(named("syclone bench launch -n0 --repeat 3"), "-n <N>");
    assert_eq!(named("syclone bench launch --repeat 3 -n=-1"), "-n <N>");
    assert_eq!(named("syclone bench launch --kernels-per-sample 0"), "--kernels-per-sample <N>");
    assert_eq!(named("syclone bench launch --kernels-per-sample=x"), "--kernels-per-sample <N>");
    assert_eq!(named("syclone bench launch -n 5 --repeat 0"), "--repeat <R>");
}
