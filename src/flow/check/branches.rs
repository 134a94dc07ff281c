//! Branches that lead elsewhere than their answers say: back to the same question without another one between, on where
//! others end, to a request in spite of a no, or the same way for a file that could be read as for one that couldn't.

use super::{
    Check,
    steps::outcomes,
    swapped::{says_no, says_yes},
    texts::options,
};
use crate::model::flow::{Phase, REQUEST, Step, has_points};

/// Ids of options with which people break off.
const STOPS: [&str; 6] = ["abort", "cancel", "decline", "exit", "quit", "stop"];

/// Tools that ask nobody, and come to the same with the same arguments.
const FIXED: [&str; 2] = ["extract_document", "persist_data"];

/// What comes of a file that could not be read.
const UNREAD: [&str; 2] = ["unreadable", "error"];

impl Check<'_> {
    pub(super) fn branches_of_answers(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                let at = format!("/phase/{p}/step/{n}/branch");
                self.comes_back(&at, phase, n);
                self.rejected_goes_on(&at, phase, n);
                if !has_points(step) && step.tool != REQUEST {
                    self.stops_elsewhere(&at, phase, step);
                }
                self.read_or_not(&at, phase, n);
                self.half_a_quiz(&at, phase, n);
                self.asks_in_spite(&at, phase, step);
                self.changes_nothing(&at, (phase, n));
                self.silence_is_yes(&at, (phase, n));
            }
        }
    }

    /// *Start over* leads past the form, to a request about what was not sent.
    fn rejected_goes_on(&mut self, at: &str, phase: &Phase, n: usize) {
        let step = &phase.step[n];
        let later = phase.step.iter().skip(n + 1);
        let target = step.branch.get("rejected").filter(|_| step.tool == "submit_for_validation");
        let request =
            later.into_iter().find(|later| later.tool == REQUEST && Some(&later.id) == target);
        if let Some(request) = request {
            let message = format!(
                "whoever starts over is led on to the request `{}`, and nothing was sent",
                request.id
            );
            let hint = format!("lead it to `{}`, or leave the branch out", step.id);
            self.warn(&format!("{at}/rejected"), message, &hint);
        }
    }

    /// `Change it` leads back to where nothing is asked before the same question.
    fn comes_back(&mut self, at: &str, phase: &Phase, n: usize) {
        let step = &phase.step[n];
        if step.args.get("options").is_none() {
            return;
        }
        for (key, target) in &step.branch {
            let Some(to) = phase.step.iter().position(|step| step.id == *target) else { continue };
            let sets = |step: &Step| {
                step.tool.is_empty() && step.branch.values().all(|target| target == "@next")
            };
            // The same file is read with the same result.
            let asks_nothing = |step: &Step| sets(step) || FIXED.contains(&step.tool.as_str());
            let between = phase.step.get(to..n).unwrap_or_default();
            let is_read = outcomes(step).is_some() && self.is_read(step);
            if !between.is_empty() && between.iter().all(asks_nothing) && !is_read {
                let message =
                    format!("`{key}` leads back to `{}`, and nothing else is asked", step.id);
                let hint = "lead it to the question that can be answered anew";
                self.warn(&format!("{at}/{key}"), message, hint);
            }
        }
    }

    /// `Stop here` ends the conversation elsewhere, and leads on here to what others are asked as well.
    fn stops_elsewhere(&mut self, at: &str, phase: &Phase, step: &Step) {
        let others = || {
            let steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
            steps.filter(|other| other.id != step.id)
        };
        let told = step.branch.iter().find(|(key, target)| {
            let label = label_of(step, key).filter(|label| label.contains(' '));
            let is_same = |other: &Step, id: &String| {
                id == *key && STOPS.contains(&key.as_str())
                    || label.is_some() && label_of(other, id) == label
            };
            let ends = |other: &Step| {
                other.branch.iter().any(|(id, target)| target == "@stop" && is_same(other, id))
            };
            is_asked_of_others(phase, step, (key, target)) && others().any(ends)
        });
        if let Some((key, target)) = told {
            let message = format!("`{key}` ends the conversation elsewhere, and here it leads on");
            let hint = format!("lead it to `@stop` instead of `{target}`, or rename the option");
            self.warn(&format!("{at}/{key}"), message, &hint);
        }
    }

    /// A second attempt that leaves out the first questions, which may have cost the points.
    fn half_a_quiz(&mut self, at: &str, phase: &Phase, n: usize) {
        let found = phase.step[n].branch.iter().find_map(|(key, target)| {
            let to = phase.step[..n].iter().position(|step| step.id == *target)?;
            let before = to.checked_sub(1)?;
            let is_second = has_points(&phase.step[to]) && has_points(&phase.step[before]);
            is_second.then(|| (key.clone(), phase.step[before].id.clone()))
        });
        if let Some((key, before)) = found.filter(|_| !has_points(&phase.step[n])) {
            let message = format!("`{before}`, which has points as well, is not asked again");
            self.warn(&format!("{at}/{key}"), message, "lead back to the first question");
        }
    }

    /// `Not now` leads to a request to the team.
    fn asks_in_spite(&mut self, at: &str, phase: &Phase, step: &Step) {
        let options = step.args.get("options").and_then(|options| options.as_array());
        let asks =
            |target: &str| phase.step.iter().any(|step| step.id == target && step.tool == REQUEST);
        let found = options.into_iter().flatten().find_map(|option| {
            let (id, label) = (option["id"].as_str()?, option["label"].as_str()?);
            let target = step.leads(id)?;
            (says_no(label) && asks(target)).then(|| (id.to_owned(), target.to_owned()))
        });
        if let Some((id, target)) = found {
            let message = format!("`{id}` says no, and leads to the request `{target}`");
            self.warn(&format!("{at}/{id}"), message, "lead it elsewhere");
        }
    }

    /// A no with a branch of its own, which leads where a yes goes anyway, and nothing reads the answer.
    fn changes_nothing(&mut self, at: &str, (phase, n): (&Phase, usize)) {
        let (step, next) = (&phase.step[n], phase.step.get(n + 1));
        let Some(next) = next.filter(|_| !self.is_read(step) && step.save.is_none()) else {
            return;
        };
        let leads_on =
            |id: &str| step.branch.get(id).is_none_or(|to| *to == next.id || to == "@next");
        let of =
            |says: fn(&str) -> bool| options(step).find(|(_, label)| says(label)).map(|(id, _)| id);
        let (Some(yes), Some(no)) = (of(says_yes), of(says_no)) else { return };
        if step.branch.contains_key(no) && leads_on(no) && leads_on(yes) {
            let message = format!("`{no}` leads where `{yes}` leads, and nothing reads the answer");
            self.warn(&format!("{at}/{no}"), message, "lead it elsewhere, or leave the branch out");
        }
    }

    /// Silence goes the way of a yes, where a no has a way of its own.
    fn silence_is_yes(&mut self, at: &str, (phase, n): (&Phase, usize)) {
        let step = &phase.step[n];
        let options = step.args.get("options").and_then(|options| options.as_array());
        let Some(silent) = step.leads("expired").filter(|target| !target.starts_with('@')) else {
            self.silence_goes_on(at, step, phase.step.get(n + 1));
            return;
        };
        let leads_yes = options.into_iter().flatten().any(|option| {
            let target = option["id"].as_str().and_then(|id| step.leads(id));
            says_yes(option["label"].as_str().unwrap_or_default()) && target == Some(silent)
        });
        let leads_others = options
            .into_iter()
            .flatten()
            .any(|option| option["id"].as_str().is_some_and(|id| step.leads(id) != Some(silent)));
        if step.tool != REQUEST && leads_yes && leads_others {
            let message = format!("whoever doesn't answer goes on to `{silent}`, like a yes");
            self.warn(
                &format!("{at}/expired"),
                message,
                "lead people who don't answer where a no leads",
            );
        }
    }

    /// A question with a deadline and no branch for it, where a no leads elsewhere and a yes on.
    fn silence_goes_on(&mut self, at: &str, step: &Step, next: Option<&Step>) {
        let (mut yes, mut no) = (None, false);
        for (id, label) in options(step) {
            let is_next = |target: &str| next.is_some_and(|next| next.id == target);
            let goes_on = step.leads(id).is_none_or(|to| to == "@next" || is_next(to));
            if says_yes(label) && goes_on {
                yes = Some(label);
            }
            // A no may call somebody, and silence need not.
            no |=
                says_no(label) && !goes_on && step.leads(id).is_some_and(|to| !to.starts_with('@'));
        }
        let is_silent = step.deadline.is_some() && step.leads("expired").is_none();
        if let (true, true, Some(yes)) = (is_silent, no, yes)
            && !self.is_read(step)
        {
            let message = format!("whoever doesn't answer in time goes on like “{yes}”");
            let hint = "add a branch for `expired`, to where a no leads";
            self.warn(at, message, hint);
        }
    }

    /// A file that was read leads to the question for those that couldn't be.
    fn read_or_not(&mut self, at: &str, phase: &Phase, n: usize) {
        let (step, next) = (&phase.step[n], phase.step.get(n + 1));
        let Some(next) = next.filter(|_| step.tool == "extract_document") else { return };
        let goes_on =
            |key: &str| step.leads(key).is_none_or(|target| target == "@next" || target == next.id);
        let is_apart = step.branch.contains_key("partial") && !goes_on("partial");
        if is_apart && goes_on("ok") && UNREAD.iter().any(|key| goes_on(key)) {
            let message =
                format!("a file that was read leads to `{}`, as one that couldn't be", next.id);
            self.warn(at, message, "add a branch for `ok`");
        }
    }
}

/// The label of an option, in small letters.
fn label_of(step: &Step, id: &str) -> Option<String> {
    let options = step.args.get("options")?.as_array()?;
    let option = options.iter().find(|option| option["id"] == id)?;
    option["label"].as_str().map(str::to_lowercase)
}

/// Whether people come to the target of an answer who have not given it.
fn is_asked_of_others(phase: &Phase, step: &Step, (key, target): (&String, &String)) -> bool {
    if target == "@next" {
        let goes_on = |id: &str| step.leads(id).is_none_or(|target| target == "@next");
        let others = options(step).filter(|(id, _)| id != key);
        return step.when.is_some() || others.into_iter().any(|(id, _)| goes_on(id));
    }
    let Some(to) = phase.step.iter().position(|step| step.id == *target) else { return false };
    let is_other = |other: &Step, id: &String| other.id != step.id || id != key;
    let leads =
        |other: &Step| other.branch.iter().any(|(id, goal)| goal == target && is_other(other, id));
    let goes_on = |before: &Step| before.branch.is_empty() || before.when.is_some();
    phase.step.iter().any(leads) || to.checked_sub(1).is_some_and(|n| goes_on(&phase.step[n]))
}
