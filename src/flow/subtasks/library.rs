//! The templates there are: those in the box, and the operator's.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use super::LoadedTask;
use crate::{config::Problem, flow::library::files};

/// The templates in the box: file name and content.
pub const fn shipped() -> [(&'static str, &'static str); 4] {
    [
        (
            "artifact_ingestion.toml",
            include_str!("../../../manifests/tasks/artifact_ingestion.toml"),
        ),
        ("code_analysis.toml", include_str!("../../../manifests/tasks/code_analysis.toml")),
        (
            "knowledge_card_generation.toml",
            include_str!("../../../manifests/tasks/knowledge_card_generation.toml"),
        ),
        (
            "writing_sample_analysis.toml",
            include_str!("../../../manifests/tasks/writing_sample_analysis.toml"),
        ),
    ]
}

/// The templates that child runs may have, by name.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    tasks: BTreeMap<String, Arc<LoadedTask>>,
}

impl Tasks {
    /// Loads the templates in the box and the operator's from `dir`. Every problem of every file is told at once.
    pub fn load(dir: Option<&Path>) -> Result<Self, Vec<Problem>> {
        let mut tasks = Self::default();
        let mut problems = Vec::new();
        for (name, source) in shipped() {
            tasks.take(name, LoadedTask::load(source, name), &mut problems);
        }
        for (name, source) in dir.map(|dir| files(dir, &mut problems)).unwrap_or_default() {
            tasks.take(&name, LoadedTask::load(&source, &name), &mut problems);
        }
        if problems.is_empty() { Ok(tasks) } else { Err(problems) }
    }

    fn take(
        &mut self,
        file: &str,
        loaded: Result<LoadedTask, Vec<Problem>>,
        problems: &mut Vec<Problem>,
    ) {
        match loaded {
            Err(found) => problems.extend(found),
            Ok(loaded) if self.tasks.contains_key(&loaded.template.name) => {
                let message = format!("there is already a task `{}`", loaded.template.name);
                problems
                    .push(Problem::whole(file, message).hint("give this one a name of its own"));
            }
            Ok(loaded) => self.insert(Arc::new(loaded)),
        }
    }

    /// A template by its name.
    pub fn get(&self, name: &str) -> Option<&Arc<LoadedTask>> {
        self.tasks.get(name)
    }

    /// All templates, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<LoadedTask>> {
        self.tasks.values()
    }

    /// Adds a template, replacing one of the same name.
    pub fn insert(&mut self, task: Arc<LoadedTask>) {
        self.tasks.insert(task.template.name.clone(), task);
    }
}
