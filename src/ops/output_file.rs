//! What a command writes for whoever called it: to standard output, or to a file that is there whole or not at all.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use rustix::fs::{Mode, OFlags};

use super::{sentence, shared_args::Output, term};

/// Writes to the file that was asked for, or to standard output where none is named. A file that exists is replaced
/// only where that was asked for too.
pub(super) fn deliver(output: &Output, bytes: &[u8]) -> anyhow::Result<()> {
    written(OutputFile::begin(output)?, bytes)
}

/// Like [`deliver`], for output that says nothing about anybody: the umask decides who may read the file, as for any
/// other.
pub(super) fn publish(output: &Output, bytes: &[u8]) -> anyhow::Result<()> {
    written(OutputFile::begun(output, Mode::from(0o666))?, bytes)
}

fn written(mut file: OutputFile<'_>, bytes: &[u8]) -> anyhow::Result<()> {
    file.add(bytes)?;
    file.finish()
}

/// Output that a command writes part by part. Nothing of a file can be seen before [`OutputFile::finish`]; dropping it
/// leaves nothing.
#[derive(Debug)]
pub(super) struct OutputFile<'a> {
    asked: &'a Output,
    target: Target,
}

#[derive(Debug)]
enum Target {
    /// No file was named.
    StandardOutput,
    /// What is no regular file, such as a pipe, keeps nothing that could be lost.
    Stream(File),
    /// A regular file, to be.
    Partial(Partial),
}

impl<'a> OutputFile<'a> {
    /// Refuses at once what could not be put in place at the end. A new file is for its owner's eyes alone.
    pub(super) fn begin(asked: &'a Output) -> anyhow::Result<Self> {
        Self::begun(asked, PRIVATE)
    }

    fn begun(asked: &'a Output, mode: Mode) -> anyhow::Result<Self> {
        let target = match &asked.output {
            None => Target::StandardOutput,
            Some(file) => {
                let opened = open(file, asked.force, mode);
                opened.or_else(|error| explained(file, Err(error)))?
            }
        };
        Ok(Self { asked, target })
    }

    /// Writes more.
    pub(super) fn add(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let written = match &mut self.target {
            Target::StandardOutput => return Ok(term::pour(bytes)?),
            Target::Stream(file) => file.write_all(bytes),
            Target::Partial(partial) => partial.file.write_all(bytes),
        };
        self.explained(written)
    }

    /// Puts the file in place.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        let (Target::Partial(partial), Some(file)) = (&mut self.target, &self.asked.output) else {
            return Ok(());
        };
        let placed = partial.finish(file, self.asked.force);
        self.explained(placed)
    }

    fn explained(&self, done: io::Result<()>) -> anyhow::Result<()> {
        match &self.asked.output {
            Some(file) => explained(file, done),
            None => Ok(done?),
        }
    }
}

fn explained<T>(file: &Path, done: io::Result<T>) -> anyhow::Result<T> {
    let shown = file.display();
    match done {
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            Err(sentence(format!(
                "`{shown}` is a symbolic link, so the data would end up somewhere else. hint: name the file itself, \
                 or leave out `--output` to write to standard output"
            )))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(sentence(format!(
            "`{shown}` already exists. hint: choose another name, or pass `--force` to replace it"
        ))),
        done => done.with_context(|| format!("could not write `{shown}`")),
    }
}

fn open(file: &Path, replaces: bool, mode: Mode) -> io::Result<Target> {
    match fs::symlink_metadata(file) {
        Ok(found) if found.is_symlink() => Err(rustix::io::Errno::LOOP.into()),
        Ok(found) if found.is_file() && !replaces => Err(io::ErrorKind::AlreadyExists.into()),
        Ok(found) if !found.is_file() => {
            let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(Target::Stream(rustix::fs::open(file, flags, Mode::empty())?.into()))
        }
        found => Ok(Target::Partial(Partial::begin(file, found.ok(), mode)?)),
    }
}

/// A file that is being written beside its place.
#[derive(Debug)]
struct Partial {
    path: PathBuf,
    file: File,
    is_placed: bool,
}

impl Partial {
    /// With the rights of the file that it replaces, if it does.
    fn begin(target: &Path, replaced: Option<fs::Metadata>, mode: Mode) -> io::Result<Self> {
        let mut name = OsString::from(".");
        name.push(target.file_name().ok_or(io::ErrorKind::IsADirectory)?);
        name.push(format!(".{}.partial", std::process::id()));
        let path = target.with_file_name(name);
        // Left behind by a process that had the same number.
        drop(fs::remove_file(&path));
        let file = create_new(&path, mode)?;
        let partial = Self { path, file, is_placed: false };
        if let Some(replaced) = replaced {
            partial.file.set_permissions(replaced.permissions())?;
        }
        Ok(partial)
    }

    fn finish(&mut self, target: &Path, replaces: bool) -> io::Result<()> {
        self.file.sync_all()?;
        if !replaces {
            // Somebody may have taken the name meanwhile.
            create_new(target, PRIVATE)?;
        }
        fs::rename(&self.path, target)?;
        self.is_placed = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.is_placed && fs::remove_file(&self.path).is_err() {
            term::tell(format!("Could not remove `{}`.", self.path.display()));
        }
    }
}

/// Rights of what may hold something about somebody.
const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);

fn create_new(path: &Path, mode: Mode) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, mode)?.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// The names in a directory.
    fn names(dir: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        fs::read_dir(dir).unwrap().map(|entry| name(entry).into_string().unwrap()).collect()
    }

    fn output(file: &Path, force: bool) -> Output {
        Output { output: Some(file.to_owned()), force }
    }

    #[test]
    fn a_file_is_whole_or_not_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.jsonl");
        let asked = output(&path, false);
        let mut file = OutputFile::begin(&asked).unwrap();
        file.add(b"one\n").unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(names(dir.path()), [""; 0]);

        let mut file = OutputFile::begin(&asked).unwrap();
        file.add(b"one\n").unwrap();
        file.add(b"two\n").unwrap();
        file.finish().unwrap();
        assert_eq!(names(dir.path()), ["out.jsonl"]);
        assert_eq!(fs::read(&path).unwrap(), b"one\ntwo\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_says_nothing_about_anybody_has_the_rights_of_any_other_file() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("flow.toml"), dir.path().join("other"));
        publish(&output(&path, false), b"format = 1\n").unwrap();
        fs::write(&other, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&other));
    }

    #[test]
    fn what_is_to_be_replaced_stays_until_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.jsonl");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let asked = output(&path, true);
        let mut file = OutputFile::begin(&asked).unwrap();
        file.add(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");

        deliver(&asked, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(dir.path()), ["out.jsonl"]);
    }

    #[test]
    fn a_name_that_is_taken_meanwhile_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.jsonl");
        let asked = output(&path, false);
        let mut file = OutputFile::begin(&asked).unwrap();
        file.add(b"new").unwrap();
        fs::write(&path, "other").unwrap();
        assert!(file.finish().unwrap_err().to_string().contains("already exists"));
        assert_eq!(fs::read(&path).unwrap(), b"other");
        assert_eq!(names(dir.path()), ["out.jsonl"]);
    }
}
