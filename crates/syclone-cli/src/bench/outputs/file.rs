//! A file that a report goes to: checked before anything is measured, replaced as a whole at the end.
//!
//! Until the document is complete an old file stays as it was and no new one is there, however the program ends: the
//! document is written beside the old file and takes its place by one rename. What is no regular file (a pipe, a
//! terminal) can't be replaced; it is opened at once and written at the end.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Where a document goes.
pub struct OutputFile {
    /// The name on the command line.
    path: PathBuf,
    place: Place,
}

enum Place {
    /// Bytes can only be written to it.
    Stream(File),
    /// A regular file, or a name that is free for one.
    Regular {
        /// Its path without links, so that what is replaced is the file and not a link to it.
        real: PathBuf,
        /// The file that is there.
        old: Option<Box<Metadata>>,
    },
}

impl OutputFile {
    /// The file at `path`, or why it can't be written. Changes nothing.
    pub fn open(path: PathBuf) -> Result<Self, Failure> {
        match Place::at(&path) {
            Ok(place) => Ok(OutputFile { path, place }),
            Err(source) => Err(Failure::Unwritable { path, source }),
        }
    }

    /// What the names of one file have in common.
    pub fn real_path(&self) -> &Path {
        match &self.place {
            Place::Stream(_) => &self.path,
            Place::Regular { real, .. } => real,
        }
    }

    /// Makes the document all that is there.
    pub fn write(self, document: &str) -> Result<(), Failure> {
        let OutputFile { path, place } = self;
        place.write(document.as_bytes()).map_err(|source| Failure::Unwritable { path, source })
    }
}

impl Place {
    fn at(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(there) => {
                // Also an error for what may not be written, which a rename would not ask about.
                let file = OpenOptions::new().write(true).open(path)?;
                match there.is_file() {
                    true => Ok(Place::Regular { real: fs::canonicalize(path)?, old: Some(Box::new(there)) }),
                    false => Ok(Place::Stream(file)),
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let real = free_name(path)?;
                // Whether the folder takes a file shows when it gets one, without a name where the system can do that.
                tempfile::tempfile_in(folder_of(&real))?;
                Ok(Place::Regular { real, old: None })
            }
            Err(error) => Err(error),
        }
    }

    fn write(self, document: &[u8]) -> io::Result<()> {
        use ErrorKind::{PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
        match self {
            Place::Stream(mut file) => file.write_all(document),
            Place::Regular { real, old } => match replace(&real, old.as_deref(), document) {
                // The file may be written, but its folder may not, or it is mounted where it is.
                Err(error)
                    if old.is_some()
                        && matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem | ResourceBusy) =>
                {
                    fs::write(&real, document)
                }
                result => result,
            },
        }
    }
}

/// Writes the document to a file beside `real` and gives it that name, and the permissions of the old file.
fn replace(real: &Path, old: Option<&Metadata>, document: &[u8]) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".syclone-").suffix(".tmp");
    #[cfg(unix)]
    // What any new file asks for; the process's mask takes its share away.
    builder.permissions(<fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
    let mut file = builder.tempfile_in(folder_of(real))?;
    file.write_all(document)?;
    if let Some(old) = old {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // Who may not give files away keeps this one: it is their own report.
            let _ = fchown(file.as_file(), Some(old.uid()), Some(old.gid()));
        }
        file.as_file().set_permissions(old.permissions())?;
    }
    file.persist(real)?;
    Ok(())
}

/// The path without links of a file that is not there.
fn free_name(path: &Path) -> io::Result<PathBuf> {
    let folder = folder_of(path);
    if let Ok(target) = fs::read_link(path) {
        // Links in a circle are another error than a file that is not there, so this comes to an end.
        return free_name(&folder.join(target));
    }
    match path.file_name() {
        // `file_name` looks over a separator at the end, after which only a folder can stand.
        Some(name) if path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes()) => {
            Ok(fs::canonicalize(folder)?.join(name))
        }
        _ => Err(ErrorKind::IsADirectory.into()),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
