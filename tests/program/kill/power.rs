//! Power cuts: of the data directory only what was synced is left, and everything acknowledged is still there.
//!
//! A library that is loaded before the C library keeps each file as of its last sync and each folder's names as of
//! the folder's last sync (`shadow.c`). A cut kills the program and makes the data directory of nothing but that,
//! which is harsher than any file system. What `sync_file_range` does, sled's idea of a flush, does not count.

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    Chance, setting, skipped,
    walk::{REBUILT, Walk},
};

/// Conversations that an old data directory has seen.
const OLD: usize = 40;

/// What was synced of a data directory.
pub(crate) struct Shadow {
    library: PathBuf,
    of: PathBuf,
    kept: PathBuf,
}

impl Shadow {
    /// For `data`, which holds nothing that could be lost; none where there is no C compiler.
    fn over(data: &Path) -> Option<Self> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/kill/shadow.c");
        let library = data.with_extension("so");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(&library)
            .arg(source)
            .args(["-ldl", "-lpthread"])
            .status()
            .ok()?;
        assert!(built.success(), "shadow.c does not compile");
        let of = data.canonicalize().unwrap();
        let shadow = Self { library, of, kept: data.with_extension("shadow") };
        shadow.settle();
        Some(shadow)
    }

    /// Everything that is there now counts as synced.
    fn settle(&self) {
        drop(fs::remove_dir_all(&self.kept));
        fs::create_dir(&self.kept).unwrap();
        self.keep(&self.of);
    }

    fn keep(&self, folder: &Path) {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            let (inode, is_folder) = (entry.metadata().unwrap().ino(), kind.is_dir());
            // A socket holds nothing.
            if !is_folder && !kind.is_file() {
                continue;
            }
            if is_folder {
                self.keep(&entry.path());
            } else {
                fs::copy(entry.path(), self.kept.join(format!("file.{inode}"))).unwrap();
            }
            let kind = if is_folder { 'd' } else { 'f' };
            names.push(format!("{inode} {kind} {}\n", entry.file_name().to_str().unwrap()));
        }
        let inode = fs::metadata(folder).unwrap().ino();
        fs::write(self.kept.join(format!("folder.{inode}")), names.concat()).unwrap();
    }

    /// What a program needs to be watched.
    pub(crate) fn variables(&self) -> [(&'static str, OsString); 3] {
        [
            ("LD_PRELOAD", self.library.clone().into()),
            ("SHADOW_OF", self.of.clone().into()),
            ("SHADOW_IN", self.kept.clone().into()),
        ]
    }

    /// The power is cut: the data directory is what was synced, and nothing else.
    pub(crate) fn cut(&self) {
        let before = self.of.with_extension("before");
        drop(fs::remove_dir_all(&before));
        let root = fs::metadata(&self.of).unwrap().ino();
        fs::rename(&self.of, &before).unwrap();
        self.restore(root, &self.of);
        self.settle();
    }

    fn restore(&self, inode: u64, folder: &Path) {
        fs::create_dir(folder).unwrap();
        // A folder that was never synced has no names.
        let names = fs::read_to_string(self.kept.join(format!("folder.{inode}")));
        for line in names.unwrap_or_default().lines() {
            let mut parts = line.splitn(3, ' ');
            let (inode, kind, name) =
                (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
            let path = folder.join(name);
            if kind == "d" {
                self.restore(inode.parse().unwrap(), &path);
                continue;
            }
            // A file that was never synced has a name and no bytes.
            let bytes = fs::read(self.kept.join(format!("file.{inode}"))).unwrap_or_default();
            fs::write(path, bytes).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_young_data_directory_loses_nothing_in_a_power_cut() {
    nothing_is_lost(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_data_directory_loses_nothing_in_a_power_cut() {
    nothing_is_lost(OLD).await;
}

async fn nothing_is_lost(conversations: usize) {
    let mut chance = Chance::new("KILL_SEED");
    let seed = chance.0;
    let cuts = setting("POWER_CUTS").unwrap_or(1);
    let quiet = tempfile::tempdir().unwrap();
    let undisturbed = Walk::begin("candidate-onboarding", quiet.path(), &[]).await.finish().await;
    let dir = tempfile::tempdir().unwrap();
    let mut walk = Walk::prepare("candidate-onboarding", dir.path(), &[]).await;
    for _ in 0..conversations {
        // Each of another person.
        walk.meet_somebody_else().await;
    }
    walk.stop();
    walk.others = conversations;
    walk.shadow = Shadow::over(&walk.data);
    if walk.shadow.is_none() {
        assert!(!is_ci(), "there is no C compiler");
        skipped::skip("a C compiler", "apt-get install gcc");
        return;
    }
    walk.start();
    walk.open_conversation().await;
    walk.moments = (0..cuts).map(|_| chance.below(undisturbed.steps)).collect();
    walk.chance = chance;
    let after = walk.finish().await;
    let context = format!("KILL_SEED={seed} POWER_CUTS={cuts}, {}", dir.path().display());
    assert_eq!(walk.kills, cuts, "{context}");
    after.assert_same(&undisturbed, &context);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_made_anew_loses_nothing_in_a_power_cut() {
    let dir = tempfile::tempdir().unwrap();
    let mut walk = Walk::prepare(REBUILT, dir.path(), &[]).await;
    walk.meet_somebody_else().await;
    walk.stop();
    walk.others = 1;
    walk.shadow = Shadow::over(&walk.data);
    if walk.shadow.is_none() {
        assert!(!is_ci(), "there is no C compiler");
        return skipped::skip("a C compiler", "apt-get install gcc");
    }
    // Before its name says that it is complete, then before each step by which it takes the place of the other.
    for (point, nth) in [("copy_made", 1), ("copy_named", 1), ("copy_moved", 1), ("copy_moved", 2)]
    {
        let passed = walk.passes().get(point).copied().unwrap_or_default();
        walk.deaths = vec![(point.to_owned(), passed + nth)];
        walk.start();
        assert!(walk.deaths.is_empty(), "never came to {point}");
        walk.stop();
        walk.shadow.as_ref().unwrap().cut();
    }
    walk.start();
    walk.open_conversation().await;
    walk.finish().await;
}

/// Whether what is missing on this machine is a failure.
pub(crate) fn is_ci() -> bool {
    std::env::vars().any(|(key, value)| key == "CI" && !value.is_empty())
}
