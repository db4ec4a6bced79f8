//! Running the program, and files of a test's own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program, with the settings of the environment taken away.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syclone"));
    command.env_remove("SYCLONE_DEVICE").env_remove("SYCLONE_CPU_THREADS").env_remove("SYCLONE_CPU_ISA");
    command.env_remove("SYCLONE_CPU_WAY").env_remove("SYCLONE_DRY_RUN");
    command.stdin(Stdio::null());
    command
}

/// Runs it with these words as arguments.
pub fn run(line: &str) -> Output {
    program().args(line.split_whitespace()).output().expect("the program starts")
}

/// What it wrote to standard output.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

/// What it wrote to standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("output is UTF-8")
}

/// A directory that is removed when the test ends.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A fresh one.
    pub fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("syclone-cli-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary directory");
        Scratch(path)
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of what is in it.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the directory is there");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("plain names")).collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file's text.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("the file was written")
}
