//! Relative paths in a configuration file are resolved from the directory it is in, wherever the program is started.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    Config, Problem,
    llm::Llm,
    raw::ContactFile,
    toml_document::{TomlDocument, escaped},
};

impl Config {
    /// Resolves every relative path from `directory`, that of the file.
    pub(super) fn resolve_paths(&mut self, directory: &Path) {
        for path in self.paths() {
            if !path.as_os_str().is_empty() {
                *path = directory.join(&*path);
            }
        }
    }

    /// Paths that only a shell would understand; here they would lead into a folder called `~`.
    pub(super) fn home_paths(&mut self, document: &TomlDocument) -> Vec<Problem> {
        let paths = self.paths().filter(|path| path.starts_with("~"));
        let paths: BTreeSet<_> = paths.map(|path| path.display().to_string()).collect();
        let mut problems = Vec::new();
        if !paths.is_empty() {
            each_text(document.value(), "", &mut |pointer, text| {
                if paths.contains(text) {
                    let message =
                        format!("`{text}` begins with `~`, which only a shell understands");
                    let hint = "write the path in full, for example `/home/ada/anteroom`";
                    problems.push(document.problem(pointer, message).hint(hint));
                }
            });
        }
        problems
    }

    /// Every path that is written.
    fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let Self {
            data,
            postgres,
            s3,
            web,
            brand,
            slack,
            discord,
            webhooks,
            contacts,
            flows,
            llm,
            search,
            consulting,
            tenant,
            ..
        } = self;
        let slack = slack.iter_mut().flat_map(|slack| {
            let oauth = slack.oauth.as_mut();
            let oauth =
                oauth.map(|oauth| [&mut oauth.client_secret_file, &mut oauth.tokens_key_file]);
            [&mut slack.bot_token_file, &mut slack.app_token_file, &mut slack.signing_secret_file]
                .into_iter()
                .chain(oauth.into_iter().flatten())
        });
        let tenants = tenant.values_mut().flat_map(|tenant| {
            let hooks = tenant.webhooks.values_mut().map(|webhook| &mut webhook.secret_file);
            let services = tenant.llm.iter_mut().flat_map(services);
            std::iter::once(&mut tenant.staff_key_file).chain(hooks).chain(services)
        });
        let optional = [
            &mut data.dir,
            &mut web.staff_key_file,
            &mut brand.logo,
            &mut flows.dir,
            &mut flows.tasks,
            &mut consulting.case_studies,
        ];
        let postgres = postgres.iter_mut();
        let postgres = postgres.flat_map(|of| [&mut of.url_file, &mut of.key_file]);
        let s3 = s3.iter_mut();
        let s3 = s3.flat_map(|of| [&mut of.access_key_id_file, &mut of.secret_access_key_file]);
        let files = [&mut contacts.vcard, &mut contacts.directory];
        optional
            .into_iter()
            .chain(postgres)
            .chain(s3)
            .chain(slack)
            .chain(discord.iter_mut().map(|discord| &mut discord.token_file))
            .chain(webhooks.values_mut().map(|webhook| &mut webhook.secret_file))
            .chain(services(llm))
            .chain(tenants)
            .chain(search.iter_mut().map(|search| &mut search.key_file))
            .flatten()
            .chain(files.into_iter().flatten().map(|ContactFile { file }| file))
    }
}

/// Every text in a value, with its JSON pointer.
fn each_text(value: &Value, pointer: &str, found: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) => found(pointer, text),
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                each_text(value, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Object(table) => {
            for (key, value) in table {
                each_text(value, &format!("{pointer}/{}", escaped(key)), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The key files of the services behind models.
fn services(llm: &mut Llm) -> impl Iterator<Item = &mut Option<PathBuf>> {
    let services = [&mut llm.interview, &mut llm.extract, &mut llm.vision, &mut llm.embed];
    let services = services.into_iter().flatten().chain(llm.spare.values_mut());
    services.map(|service| &mut service.key_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every path that a configuration can have.
    const TEXT: &str = r#"
        data.dir = "p"
        web.staff_key_file = "p"
        brand.logo = "p"
        flows = { dir = "p", tasks = "p" }
        consulting.case_studies = "p"
        contacts = { vcard = { file = "p" }, directory = { file = "p" } }
        discord.token_file = "p"
        webhooks.hook = { url = "https://example.org", secret_file = "p" }
        search = { provider = "searxng", key_file = "p" }
        postgres = { url_file = "p", key_file = "p" }
        s3 = { bucket = "files", access_key_id_file = "p", secret_access_key_file = "p" }
        [slack]
        bot_token_file = "p"
        app_token_file = "p"
        signing_secret_file = "p"
        oauth = { client_id = "1", client_secret_file = "p", redirect_url = "https://example.org", tokens_key_file = "p" }
        [llm]
        interview = { model = "m", key_file = "p" }
        extract = { model = "m", key_file = "p" }
        vision = { model = "m", key_file = "p" }
        embed = { model = "m", key_file = "p" }
        spare.other = { model = "m", key_file = "p" }
        [tenant.acme]
        staff_key_file = "p"
        webhooks.hook = { url = "https://example.org", secret_file = "p" }
        llm.interview = { model = "m", key_file = "p" }
    "#;

    #[test]
    fn every_relative_path_is_resolved() {
        let mut config: Config = toml_edit::de::from_str(TEXT).unwrap();
        assert_eq!(config.paths().count(), TEXT.matches("\"p\"").count());
        config.resolve_paths(Path::new("/etc/anteroom"));
        assert!(config.paths().all(|path| path == Path::new("/etc/anteroom/p")), "{config:#?}");
        config.data.dir = Some("/var/lib/anteroom".into());
        config.resolve_paths(Path::new("/elsewhere"));
        assert_eq!(config.data.dir, Some("/var/lib/anteroom".into()));
    }

    /// A new path is not forgotten here.
    #[test]
    fn the_text_above_has_every_path() {
        let mut fields = 0;
        for source in [
            include_str!("raw.rs"),
            include_str!("brand.rs"),
            include_str!("consulting.rs"),
            include_str!("llm.rs"),
            include_str!("s3.rs"),
            include_str!("search.rs"),
            include_str!("tenants.rs"),
        ] {
            let is_path =
                |line: &&str| line.contains(": Option<PathBuf>,") || line.contains(": PathBuf,");
            fields += source.lines().filter(is_path).count();
        }
        // Services of models share a field, contact files another, and a tenant has web hooks and services like the operator.
        assert_eq!(fields, TEXT.matches("\"p\"").count() - 4 - 1 - 2);
    }
}
