//! A clock for one program, which jumps as a test says, by libfaketime.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::skipped;

/// A clock that goes as a file says.
pub(crate) struct FakedClock {
    file: PathBuf,
    library: OsString,
}

impl FakedClock {
    /// A clock that goes right; none, with a note, where libfaketime is not installed, which CI does not put up with.
    pub(crate) fn new(file: &Path) -> Option<Self> {
        let Some(library) = library() else {
            let is_ci = std::env::vars().any(|(key, value)| key == "CI" && !value.is_empty());
            assert!(!is_ci, "faketime is not installed");
            skipped::skip("faketime", "apt-get install faketime");
            return None;
        };
        let clock = Self { file: file.to_owned(), library };
        clock.set("+0");
        Some(clock)
    }

    /// It is off by so much from now on: `+47h`.
    pub(crate) fn set(&self, by: &str) {
        // As a whole: a program may read it at any time.
        let new = self.file.with_extension("new");
        fs::write(&new, by).unwrap();
        fs::rename(new, &self.file).unwrap();
    }

    /// The environment of a program that goes by it.
    pub(crate) fn environment(&self) -> [(&'static str, OsString); 4] {
        [
            ("LD_PRELOAD", self.library.clone()),
            ("FAKETIME_TIMESTAMP_FILE", self.file.clone().into()),
            ("FAKETIME_NO_CACHE", "1".into()),
            // What the kernel counts does not jump.
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".into()),
        ]
    }

    /// Removes what the library leaves of a program that was killed.
    pub(crate) fn forget(process: u32) {
        for left in ["faketime_shm_", "sem.faketime_sem_"] {
            // It is gone where the program ended by itself.
            _ = fs::remove_file(format!("/dev/shm/{left}{process}"));
        }
    }
}

fn library() -> Option<OsString> {
    // The wrapper knows where it is.
    let said = Command::new("faketime").args(["-f", "+0", "env"]).output().ok()?.stdout;
    let said = String::from_utf8(said).ok()?;
    said.lines().find_map(|line| line.strip_prefix("LD_PRELOAD=")).map(OsString::from)
}
