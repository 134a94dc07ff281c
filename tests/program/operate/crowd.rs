//! People who go through the tour at any node, again and again, while something happens to the nodes. What they were told
//! is saved counts once, nothing that was acknowledged is asked again, and everybody gets to the end.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{ScopedJoinHandle, sleep},
    time::{Duration, Instant},
};

use super::{
    cluster::Cluster,
    program::{Person, Program},
};
use crate::html;

/// People who answer at the same time.
pub(super) const CROWD: usize = 6;

/// Who gets no further for so long is stuck.
const STUCK_AFTER: Duration = Duration::from_mins(2);

/// Does something at any node, again and again until it has worked.
fn persist<T>(
    cluster: &Cluster,
    what: &str,
    act: impl Fn(&Program) -> Option<T>,
) -> Result<T, String> {
    // Requests fail while nodes come and go.
    let attempt =
        |program: &Program| catch_unwind(AssertUnwindSafe(|| act(program))).ok().flatten();
    let began = Instant::now();
    while began.elapsed() < STUCK_AFTER {
        if let Some(found) = cluster.pages().iter().find_map(attempt) {
            return Ok(found);
        }
        sleep(Duration::from_millis(20));
    }
    Err(format!("{what} never came"))
}

/// A question of the tour with the answer to it, and what the page says then.
struct Step {
    question: &'static str,
    answer: &'static str,
    told: &'static str,
}

const STEPS: [Step; 4] = [
    Step { question: "talk to a bot", answer: "Go on", told: "You answered: Go on" },
    Step { question: "Which colour", answer: "Blue", told: "You answered: Blue" },
    Step { question: "A file, please", answer: "notes.txt", told: "You sent: notes.txt" },
    Step { question: "A word, please", answer: "Sesame", told: "You answered: Sesame" },
];

/// How a page shows a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Open,
    Answered,
    Missing,
}

impl Step {
    /// How a page shows it, where it is the page of a conversation.
    fn found_in(&self, page: &str) -> Option<Seen> {
        if !page.contains("data-live") {
            return None;
        }
        let is_open = html::open_cards(page).iter().any(|card| card.text.contains(self.question));
        let is_answered = html::text(page).contains(self.told);
        Some(match (is_open, is_answered) {
            (true, _) => Seen::Open,
            (false, true) => Seen::Answered,
            (false, false) => Seen::Missing,
        })
    }

    fn take(&self, person: &Person, program: &Program) {
        match self.answer {
            "Sesame" => person.types(program, self.question, self.answer),
            "notes.txt" => person.sends(program, self.answer, b"Some notes.".to_vec()),
            label => person.press(program, self.question, label),
        }
    }
}

/// What should not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    AskedTwice,
    Stuck,
    /// Answers and web hooks that are not there exactly once.
    Wrong,
}

/// People who go through the tour again and again.
#[derive(Default)]
pub(super) struct Crowd {
    /// Answers that were acknowledged.
    acknowledged: AtomicUsize,
    /// Answers so far, those included of which only the page told that they were saved.
    answers: AtomicUsize,
    is_over: AtomicBool,
    findings: Mutex<Vec<(Finding, String)>>,
}

impl Crowd {
    /// Waits for so many more answers, or until somebody is stuck.
    pub(super) fn goes_on(&self, answers: usize) {
        let enough = self.answers.load(Ordering::Relaxed) + answers;
        let began = Instant::now();
        while self.answers.load(Ordering::Relaxed) < enough && !self.has_failed() {
            if began.elapsed() > STUCK_AFTER {
                self.stuck("nobody got an answer in".to_owned());
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Whether there is anything that should not be.
    pub(super) fn has_failed(&self) -> bool {
        !self.findings.lock().unwrap().is_empty()
    }

    fn stuck(&self, why: String) {
        self.findings.lock().unwrap().push((Finding::Stuck, why));
    }

    fn take_part(&self, cluster: &Cluster, n: usize) -> Vec<Person> {
        let mut people = Vec::new();
        while !self.is_over.load(Ordering::Relaxed) && !self.has_failed() {
            match self.tour(cluster, &format!("Person {n}.{}", people.len())) {
                Ok(person) => people.push(person),
                Err(why) => self.stuck(why),
            }
        }
        people
    }

    /// Somebody goes through the tour.
    fn tour(&self, cluster: &Cluster, name: &str) -> Result<Person, String> {
        let begin = |program: &Program| Some(Person::begin(program, name));
        let person = persist(cluster, "a beginning", begin)?;
        for step in &STEPS {
            let stuck = |why| format!("{name} at {}: {why}", person.session);
            self.answer(cluster, &person, step).map_err(stuck)?;
            self.answers.fetch_add(1, Ordering::Relaxed);
        }
        Ok(person)
    }

    /// Answers a question once it is open. Where nobody knows whether the answer was saved, the page tells. What was
    /// acknowledged is never asked again, and what was asked once stays on the page.
    fn answer(&self, cluster: &Cluster, person: &Person, step: &Step) -> Result<(), String> {
        let look = |program: &Program| step.found_in(&person.get(program, &person.session));
        let Step { question, .. } = step;
        persist(cluster, question, |program| look(program).filter(|seen| *seen == Seen::Open))?;
        let was_acknowledged = persist(cluster, question, |program| match look(program)? {
            Seen::Open => {
                step.take(person, program);
                Some(true)
            }
            Seen::Answered => Some(false),
            Seen::Missing => {
                self.complain(Finding::Wrong, person, question, "was asked, and is not there");
                None
            }
        })?;
        if was_acknowledged {
            self.acknowledged.fetch_add(1, Ordering::Relaxed);
            match persist(cluster, question, look)? {
                Seen::Answered => {}
                Seen::Open => {
                    self.complain(Finding::AskedTwice, person, question, "is asked again");
                }
                Seen::Missing => self.complain(Finding::Wrong, person, question, "is not there"),
            }
        }
        Ok(())
    }

    fn complain(&self, finding: Finding, person: &Person, question: &str, what: &str) {
        let text = format!("`{question}` {what}: {}", person.session);
        self.findings.lock().unwrap().push((finding, text));
    }
}

/// What came of it.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) interviews: usize,
    /// Answers that were acknowledged.
    pub(super) acknowledged: usize,
    /// Web hooks that arrived more than once, counted without the first time.
    pub(super) doubled: usize,
    pub(super) findings: Vec<(Finding, String)>,
}

impl Outcome {
    /// How many findings are of this kind.
    pub(super) fn count(&self, kind: Finding) -> usize {
        self.findings.iter().filter(|(finding, _)| *finding == kind).count()
    }
}

/// Does something while people answer; then everybody gets to the end, each answer counts once, and each web hook has
/// arrived.
pub(super) fn while_people_answer(cluster: &Cluster, during: impl FnOnce(&Crowd)) -> Outcome {
    let crowd = Crowd::default();
    let people = std::thread::scope(|scope| {
        let begin = |n| {
            scope.spawn({
                let crowd = &crowd;
                move || crowd.take_part(cluster, n)
            })
        };
        let all: Vec<_> = (0..CROWD).map(begin).collect();
        let done = catch_unwind(AssertUnwindSafe(|| during(&crowd)));
        if done.is_err() {
            crowd.stuck("what was to happen did not".to_owned());
        }
        crowd.is_over.store(true, Ordering::Relaxed);
        let join = |one: ScopedJoinHandle<'_, Vec<Person>>| one.join().unwrap();
        all.into_iter().flat_map(join).collect::<Vec<_>>()
    });
    let mut outcome = Outcome {
        interviews: people.len(),
        acknowledged: crowd.acknowledged.into_inner(),
        findings: crowd.findings.into_inner().unwrap(),
        ..Outcome::default()
    };
    let wrong = people.iter().filter_map(|person| looked_at(cluster, person).err());
    outcome.findings.extend(wrong.map(|why| (Finding::Wrong, why)));
    let arrived = |_: &Program| {
        let (deliveries, doubled) = cluster.deliveries.counts();
        (deliveries >= people.len()).then_some((deliveries, doubled))
    };
    match persist(cluster, "the web hooks", arrived) {
        Ok((deliveries, doubled)) => {
            outcome.doubled = doubled;
            if deliveries > people.len() && outcome.findings.is_empty() {
                outcome.findings.push((Finding::Wrong, format!("{deliveries} web hooks")));
            }
        }
        Err(why) => outcome.findings.push((Finding::Stuck, why)),
    }
    outcome
}

/// Whether somebody's answers are all there, each once.
fn looked_at(cluster: &Cluster, person: &Person) -> Result<(), String> {
    let page = persist(cluster, "the page", |program| {
        let page = person.get(program, &person.session);
        page.contains("data-live").then_some(page)
    })?;
    let text = html::text(&page);
    for words in STEPS.iter().flat_map(|step| [step.question, step.told]) {
        let count = text.matches(words).count();
        if count != 1 {
            return Err(format!("`{words}` is there {count} times at {}: {text}", person.session));
        }
    }
    Ok(())
}
