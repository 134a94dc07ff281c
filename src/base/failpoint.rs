//! Failpoints: named places where a debug build can be made to die, and a clock that tests can move.
//!
//! Every durable step of the bot has a [`Failpoint`] before it and after it. A release build contains none of this:
//! [`hit`] is empty there and no variable is read. A debug build checks one cell at each failpoint, and obeys four
//! variables, which only the recovery tests set (`tests/program/kill.rs`):
//!
//! | variable | what it does |
//! |---|---|
//! | `ANTEROOM_FAILPOINT_LOG` | a file that gets one line for every hit, `!` before it where the process died |
//! | `ANTEROOM_FAILPOINT_KILL` | `file_kept:1,batch_applied:7`: die by SIGKILL at the first of these hits. Hits are counted over all processes that write the same log |
//! | `ANTEROOM_FAILPOINT_CLOCK` | a file with the seconds by which the clock is off, read at every look at the clock |
//! | `ANTEROOM_FAILPOINT_REBUILD` | anything: the bot makes its database anew whenever it starts, however small it is and however much is in use |

/// Declares the points: one table, from which names and numbers follow.
macro_rules! points {
    ($($point:ident $name:literal $after:literal => $before:literal;)+) => {
        /// A place between two durable steps; its number is its place in this table, from 1.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Failpoint {
            $(#[doc = concat!($after, " | ", $before)] $point,)+
        }

        impl Failpoint {
            /// All of them, in order.
            pub const ALL: &[Self] = &[$(Self::$point),+];

            /// Its name in variables and logs.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$point => $name,)+ }
            }

            /// What it stands between.
            pub const fn between(self) -> (&'static str, &'static str) {
                match self { $(Self::$point => ($after, $before),)+ }
            }
        }
    };
}

points! {
    StoreLocked     "store_locked"     "the data directory is ours" => "it is checked";
    StoreChecked    "store_checked"    "the data directory is checked" => "the database is opened";
    KeysBegun       "keys_begun"       "the file of keys is written" => "it is synced";
    KeysSynced      "keys_synced"      "the file of keys is on the device" => "the database names it";
    StoreOpened     "store_opened"     "the database is open, its layout written" => "its files are synced";
    FilesSettled    "files_settled"    "the database's files are synced" => "left shredding is finished";
    CopyMade        "copy_made"        "a copy of a mostly unused database is on the device" => "it is said to be complete";
    CopyNamed       "copy_named"       "the copy is said to be complete" => "it takes the database's place";
    CopyMoved       "copy_moved"       "a file of the copy is in its place" => "the next one, and the folder of the copy is removed";
    Recovering      "recovering"       "the bot has started" => "what a crash left behind is looked for";

    CommitTaken     "commit_taken"     "a decision has reached the store" => "its batch is applied";
    OpenDropped     "open_dropped"     "a session that is no longer kept open is read anew" => "a decision goes on with it";
    SlotsMade       "slots_made"       "keys for sessions to come are written" => "they are synced";
    SlotsSynced     "slots_synced"     "keys for sessions to come are on the device" => "one is given to a session";
    CommitApplied   "commit_applied"   "its batch is applied" => "it is synced";
    SyncDue         "sync_due"         "all batches of a group are applied" => "the database is flushed";
    Flushed         "flushed"          "the database is flushed to the kernel" => "it is synced to the device";
    MarkDue         "mark_due"         "the database is synced to the device" => "the high-water mark is written";
    Synced          "synced"           "everything is on the device" => "those who wait are answered";
    CommitAnswered  "commit_answered"  "those who wait are answered" => "the next group is taken";

    ArchiveDue      "archive_due"      "a conversation at rest is compact" => "its records are in the archive";
    ArchiveFilled   "archive_filled"   "its records are in the archive" => "the database refers to them there";
    ArchiveNoted    "archive_noted"    "the database refers to records in the archive" => "that is on the device";

    EffectsClaimed  "effects_claimed"  "effects are claimed" => "they are handed out";
    LanesBetween    "lanes_between"    "effects that people wait for are handed out" => "one in the background leaves";
    EffectDue       "effect_due"       "an effect is handed out" => "it leaves";
    EffectLeft      "effect_left"      "an effect has left" => "the session notes what came of it";
    EffectNoted     "effect_noted"     "the session has noted it" => "the outbox forgets it";
    DoneTaken       "done_taken"       "the outbox is to forget an effect" => "the batch is applied";
    DoneApplied     "done_applied"     "the outbox has forgotten it" => "the next is looked for";
    DoneUnsynced    "done_unsynced"    "those who deliver know that it is forgotten" => "that is on the device";
    HookSent        "hook_sent"        "the receiver of a web hook has answered" => "anybody here knows";

    FlowPinned      "flow_pinned"      "a session's flow is kept as a file" => "the session exists";
    SessionStarted  "session_started"  "a session exists" => "its first step is taken";
    InboundTaken    "inbound_taken"    "an event has come in" => "it is decided";
    InboundDurable  "inbound_durable"  "an event is durable" => "it is acknowledged";

    FileDue         "file_due"         "a file has been checked" => "it is written";
    FileNamed       "file_named"       "a file is written, synced and renamed" => "its folders are synced";
    FileSynced      "file_synced"      "a file's folders are synced" => "anybody knows of it";
    FileKept        "file_kept"        "a file that was sent is kept" => "its event is taken in";

    CallMade        "call_made"        "a call is due" => "it is noted as begun, where it reaches outside";
    CallBegun       "call_begun"       "a call that reaches outside is noted as begun" => "its tool runs";
    CallRan         "call_ran"         "a tool has run" => "its result is recorded";
    CallRecorded    "call_recorded"    "a call's result is recorded" => "the next step";
    AnswerRan       "answer_ran"       "an answered call has gone on" => "its result is recorded";
    AnswerApplied   "answer_applied"   "an answer has done its work" => "the next step";

    ChildDue        "child_due"        "a child run is asked for" => "it exists";
    ChildBegun      "child_begun"      "a child run exists" => "its parent notes that";
    ChildRaised     "child_raised"     "a child run's question is asked at its root" => "the child notes that";
    ChildTold       "child_told"       "a child run knows the answer" => "its root notes that";
    ChildEnded      "child_ended"      "a child run is over" => "its parent has the result";
    ChildReported   "child_reported"   "the parent has the result" => "the child notes that";

    TimerDue        "timer_due"        "a timer is due" => "it is decided";
    TimerFired      "timer_fired"      "what a timer does is durable" => "the next";

    ErasureOrdered  "erasure_ordered"  "an erasure is ordered" => "what is to be removed outside is known";
    CardsDown       "cards_down"       "what is to be removed outside is known" => "the store forgets the session";
    EraseTaken      "erase_taken"      "the store is to forget a session" => "its batch is applied";
    EraseApplied    "erase_applied"    "the batch is applied" => "it is synced";
    ShredDue        "shred_due"        "an erasure is on the device" => "its key is overwritten";
    KeysZeroed      "keys_zeroed"      "keys are overwritten" => "that is synced";
    KeysShredded    "keys_shredded"    "overwritten keys are on the device" => "the store no longer asks for it";
    ShredNoted      "shred_noted"      "the store no longer asks for it" => "those who wait are answered";
    SessionErased   "session_erased"   "the store has forgotten the session" => "files are removed";
    FilesRemoved    "files_removed"    "files are removed" => "their folder is synced";
    FilesErased     "files_erased"     "no file is left" => "the participant is told";
    ShredLeft       "shred_left"       "a start found keys that an erasure left" => "they are overwritten";
}

impl Failpoint {
    /// From 1.
    pub const fn number(self) -> usize {
        self as usize + 1
    }
}

/// Marks that a failpoint is reached; a debug build may die here.
#[inline]
pub fn hit(point: Failpoint) {
    #[cfg(debug_assertions)]
    armed::hit(point);
    #[cfg(not(debug_assertions))]
    let _: Failpoint = point;
}

/// By how much the clock is off; never in a release build.
#[inline]
pub(crate) fn clock_is_off() -> chrono::TimeDelta {
    #[cfg(debug_assertions)]
    return armed::clock_is_off();
    #[cfg(not(debug_assertions))]
    chrono::TimeDelta::zero()
}

/// Whether any database is made anew when it is opened; never in a release build.
#[inline]
pub(crate) fn is_rebuilding_always() -> bool {
    #[cfg(debug_assertions)]
    return armed::is_rebuilding_always();
    #[cfg(not(debug_assertions))]
    false
}

#[cfg(debug_assertions)]
mod armed {
    use std::{
        collections::BTreeMap,
        fs::{self, File},
        io::Write as _,
        path::PathBuf,
        sync::{Mutex, OnceLock, PoisonError},
    };

    use super::Failpoint;

    /// What the variables ask for.
    #[derive(Default)]
    struct Armed {
        deaths: Vec<(String, u64)>,
        log: Option<File>,
        clock: Option<PathBuf>,
        is_rebuilding_always: bool,
        passes: Mutex<BTreeMap<String, u64>>,
    }

    /// `None` unless one of the variables is set.
    fn armed() -> Option<&'static Armed> {
        static ARMED: OnceLock<Option<Armed>> = OnceLock::new();
        ARMED.get_or_init(Armed::read).as_ref()
    }

    #[expect(clippy::disallowed_methods, reason = "not a setting: failpoints of a debug build")]
    fn variable(name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    impl Armed {
        fn read() -> Option<Self> {
            let log = variable("ANTEROOM_FAILPOINT_LOG").map(PathBuf::from);
            let deaths = variable("ANTEROOM_FAILPOINT_KILL");
            let clock = variable("ANTEROOM_FAILPOINT_CLOCK").map(PathBuf::from);
            let is_rebuilding_always = variable("ANTEROOM_FAILPOINT_REBUILD").is_some();
            if log.is_none() && deaths.is_none() && clock.is_none() && !is_rebuilding_always {
                return None;
            }
            let mut passes = BTreeMap::new();
            let before = log.as_ref().and_then(|log| fs::read_to_string(log).ok());
            for name in before.unwrap_or_default().lines().filter(|line| !line.starts_with('!')) {
                *passes.entry(name.to_owned()).or_default() += 1;
            }
            let log = log.and_then(|log| File::options().create(true).append(true).open(log).ok());
            let deaths = deaths.unwrap_or_default();
            let deaths = deaths.split(',').filter_map(|death| {
                let (name, pass) = death.split_once(':')?;
                Some((name.to_owned(), pass.parse().ok()?))
            });
            let (deaths, passes) = (deaths.collect(), Mutex::new(passes));
            Some(Self { deaths, log, clock, is_rebuilding_always, passes })
        }

        fn hit(&self, name: &str) {
            // Held to the end: whoever passes at the same time must not write after the death.
            let mut passes = self.passes.lock().unwrap_or_else(PoisonError::into_inner);
            let count = passes.entry(name.to_owned()).or_default();
            *count += 1;
            let dies = self.deaths.iter().any(|(point, pass)| point == name && pass == count);
            self.note(&if dies {
                format!("{name}\n!{name}:{count}\n")
            } else {
                format!("{name}\n")
            });
            if dies {
                // Not an exit, not a panic: nothing may be flushed, closed or unwound.
                let own = rustix::process::getpid();
                if rustix::process::kill_process(own, rustix::process::Signal::KILL).is_ok() {
                    loop {
                        std::thread::park();
                    }
                }
            }
        }

        fn note(&self, lines: &str) {
            if let Some(mut log) = self.log.as_ref() {
                // Without its log a recovery test fails by itself.
                _ = log.write_all(lines.as_bytes());
            }
        }
    }

    pub(super) fn hit(point: Failpoint) {
        if let Some(armed) = armed() {
            armed.hit(point.name());
        }
    }

    pub(super) fn is_rebuilding_always() -> bool {
        armed().is_some_and(|armed| armed.is_rebuilding_always)
    }

    pub(super) fn clock_is_off() -> chrono::TimeDelta {
        let seconds = armed()
            .and_then(|armed| armed.clock.as_ref())
            .and_then(|clock| fs::read_to_string(clock).ok())
            .and_then(|text| text.trim().parse().ok());
        chrono::TimeDelta::seconds(seconds.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Failpoint;

    #[test]
    fn every_point_has_a_name_and_a_number_of_its_own() {
        let names: BTreeSet<&str> = Failpoint::ALL.iter().map(|point| point.name()).collect();
        assert_eq!(names.len(), Failpoint::ALL.len());
        let numbers = Failpoint::ALL.iter().map(|point| point.number());
        assert!(numbers.eq(1..=Failpoint::ALL.len()));
        assert!(Failpoint::ALL.iter().all(|point| point.between().0 != point.between().1));
    }
}
