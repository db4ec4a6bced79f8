use super::*;

const CARDS: &str = r#"
# Two small cards and a large one.
[[device]]
name = "small"
count = 2
seed = 7
global_memory_bytes = 65_536
aspects = ["gpu", "fp64"]
sub_group_sizes = [32, 8]

[[device]]
name = "large"
compute_units = 0x40
max_work_item_sizes = [256, 256, 8]
max_allocation = 1024
run_kernels = true
faults = [{ kind = "copy", at = 3 }, { kind = "device_lost", probability = 0.25 }]
"#;

#[test]
fn every_key_is_read_and_what_is_missing_has_a_fitting_default() {
    let devices = parse(CARDS).unwrap();
    let [first, second, large] = &devices[..] else { panic!("{devices:?}") };
    assert_eq!((first.name.as_str(), first.seed, second.seed), ("small", 7, 8));
    assert_eq!((first.global_memory_bytes, first.max_allocation), (65_536, 65_536));
    assert_eq!(first.aspects.iter().collect::<Vec<_>>(), [Aspect::Gpu, Aspect::Fp64]);
    assert_eq!((&first.sub_group_sizes[..], first.default_sub_group_size), (&[8, 32][..], 32));
    assert_eq!((large.compute_units, large.max_work_item_sizes, large.max_allocation), (64, [256, 256, 8], 1024));
    assert!(large.run_kernels && !first.run_kernels);
    let faults = [Fault::at(FaultKind::Copy, 3), Fault::with_probability(FaultKind::DeviceLost, 0.25)];
    assert_eq!(large.faults, faults);
    assert!(parse("").unwrap().is_empty());
}

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    let cases = [
        ("[[device]]\nname = 3", "3", "a string is needed, not a value of the type integer"),
        ("[[device]]\ncores = 3", "cores", "a device has no 'cores'"),
        ("[[card]]", "card", "'card' is not known: devices are [[device]] tables"),
        ("[device]\nname = 'a'", "", "a device is a [[device]] table, in two brackets"),
        (
            "[[device]]\nrun_kernels = true\nlocal_memory_bytes = 1_073_741_825",
            "1_073",
            "local_memory_bytes is 1073741825: a device that runs kernels has at most 1073741824",
        ),
        ("device = 1", "1", "an array is needed, not a value of the type integer"),
        ("[[device]]\naspects = ['wings']", "'wings'", "there is no aspect 'wings', only cpu, gpu, "),
        ("[[device]]\nfaults = [{ kind = 'copy' }]", "{ kind", "a fault has a kind, and either at or probability"),
        ("[[device]]\nfaults = [{ kind = 'fire', at = 1 }]", "'fire'", "there is no fault 'fire', only allocation, "),
        (
            "[[device]]\nfaults = [{ kind = 'copy', at = 0 }]",
            "0 }",
            "fault 'copy' at 0: opportunities are counted from 1",
        ),
        ("[[device]]\nfaults = [{ kind = 'copy', probability = 2.5 }]", "2.5", "fault 'copy' with probability 2.5: "),
        ("[[device]]\nfaults = [{ kind = 'copy', probability = nan }]", "nan", "fault 'copy' with probability NaN: "),
        ("[[device]]\nname = 'a'\ncompute_units = 0", "0", "compute_units is 0: it must be at least 1"),
        ("[[device]]\ncompute_units = -1", "-1", "-1 is not a whole number from 0 to "),
        ("[[device]]\nseed = 99999999999999999999", "9999", "99999999999999999999 is not a whole number from 0 to "),
        ("[[device]]\nseed = 0x1_0000_0000_0000_0000", "0x1", "0x10000000000000000 is not a whole number from 0 to "),
        ("[[device]]\ncompute_units = 0xffff_ffff_ffff_ffff", "0xffff", "it must be at most 65536"),
        ("[[device]]\nmax_work_group_size = 0\nseed = 1", "0\n", "max_work_group_size is 0: "),
        ("[[device]]\nmax_work_item_sizes = [1, 0, 1]\nseed = 1", "[1, 0", "max_work_item_sizes is 0: "),
        ("[[device]]\nsub_group_sizes = [0, 8]", "[0, 8]", "a sub-group size of 0: sub-groups must have items"),
        (
            "[[device]]\nrun_kernels = true\nsub_group_sizes = [32, 64]",
            "[32, 64]",
            "a sub-group size of 64: sub-groups of a device that runs kernels have at most 32",
        ),
        (
            "[[device]]\nmax_allocation = 2\nglobal_memory_bytes = 1",
            "2\n",
            "an allocation of 2 bytes does not fit a memory of 1",
        ),
        ("[[device]]\nseed = 1\ndefault_sub_group_size = 5", "5", "the default sub-group size 5 is none of [1, 4"),
        ("[[device]]\nsub_group_sizes = []\nseed = 1", "[]\n", "the default sub-group size 16 is none of []"),
        ("[[device]]\nmax_work_item_sizes = [1]", "[1]", "the sizes of 3 dimensions are needed"),
        ("[[device]]\nname = 'a'\ncount = 1000\nseed = 1", "1000", "1000 devices are more than 64"),
        ("[[device]\n", "", ""),
    ];
    for (text, place, expected) in cases {
        let (offset, problem) = parse(text).unwrap_err();
        assert!(problem.contains(expected), "{text}: {problem}");
        assert!(text[offset..].starts_with(place), "{text}: {problem} at {offset}");
    }
}

#[test]
fn a_file_is_named_with_the_line_or_with_what_the_system_says() {
    let missing = read(Path::new("no such file.toml")).unwrap_err();
    assert!(matches!(&missing, Error::InvalidDryRun { place, .. } if place == "no such file.toml"), "{missing}");
    let path = std::env::temp_dir().join(format!("syclone-dry-run-{}.toml", std::process::id()));
    std::fs::write(&path, "[[device]]\n\nspeed = 3\n").unwrap();
    let wrong = read(&path).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(wrong.contains(", line 3: a device has no 'speed'"), "{wrong}");
}

#[test]
fn control_characters_in_a_name_are_shown_and_not_sent_to_the_terminal() {
    let options = parse("[[device]]\nname = \"red \\u001B[31m card\\n\"").unwrap().remove(0);
    let dry = options.clone().build().unwrap();
    assert_eq!(dry.device().info().name, "red \\u{1b}[31m card\\n");
    assert_eq!(dry.device().info().selector, "dry-run device 'red \\u{1b}[31m card\\n'");
    let error = DryRunOptions { compute_units: 0, ..options }.build().unwrap_err().to_string();
    assert!(error.starts_with("device 'red \\u{1b}[31m card\\n': compute_units is 0"), "{error}");
    let place = Path::new("/no\u{8}where.toml");
    assert!(read(place).unwrap_err().to_string().starts_with("/no\\u{8}where.toml: "));
}
