//! What is looked at of a database and its server.

use crate::{
    chat::doctor::Report,
    config::{Settings, settings::Postgres},
    ops::app::{self, Opening},
    store::postgres::{Options, Server, Weakness, called, changes, nodes, server},
};

/// Asks the database, and changes nothing.
pub(super) async fn look_at(settings: &Settings, report: &mut Report) {
    let Some(database) = &settings.postgres else {
        return report.wrong(
            "the data is in a data directory",
            "name a database with `[postgres]` in the configuration, if several nodes are to share one",
        );
    };
    own_address(settings, database, report);
    let options = match app::database_options(database, Opening::Command) {
        Ok(options) => options,
        Err(error) => return report.failed(error.as_ref()),
    };
    if let Err(error) = asked(&options, report).await {
        report.failed(&error);
    }
}

async fn asked(options: &Options, report: &mut Report) -> Result<(), crate::store::Error> {
    let called = called(options)?;
    let Server { version, weaknesses } = server(options).await?;
    report.checked(format!("{called}: PostgreSQL {version}"));
    for weakness in &weaknesses {
        tell(weakness, report);
    }
    let changes = changes(options).await?;
    if changes.iter().any(|change| !change.is_known) {
        report.wrong(
            "a newer version of Anteroom has changed the tables, so this one can't use them",
            "upgrade this node",
        );
    }
    match changes.iter().filter(|change| !change.is_applied).count() {
        0 => report.checked("its tables are as this version needs them"),
        _ => report.checked("its tables, which this version brings up to date when it starts"),
    }
    if changes.iter().any(|change| change.is_applied) {
        let count = nodes(options).await?.len();
        report.checked(format!("connected nodes: {count}"));
    }
    Ok(())
}

/// Other nodes can forward requests to this one where its address is known.
fn own_address(settings: &Settings, database: &Postgres, report: &mut Report) {
    if database.node_host.is_none() && settings.web.listen.ip().is_unspecified() {
        report.odd(
            format!(
                "`listen = \"{}\"` doesn't say where other nodes reach this one, so they can't forward requests to it",
                settings.web.listen
            ),
            "set `node_host` under `[postgres]` to this machine's name or address",
        );
    }
}

fn tell(weakness: &Weakness, report: &mut Report) {
    match weakness {
        Weakness::ReadOnly => report.wrong(
            "this server follows another one and can't be written to",
            "name the primary, or a proxy that leads to it",
        ),
        Weakness::MayNotCreate => report.wrong(
            "this user may not create tables",
            "let the user own the database: `alter database … owner to …`",
        ),
        Weakness::WrongKey => report.wrong(
            "the data is sealed with another key",
            "give this node the key that the first node had, with `key_env` or `key_file` under `[postgres]`",
        ),
        Weakness::Unsynced => report.wrong(
            "`fsync` is off: a crash of the server's machine can destroy all data",
            "set `fsync = on` in `postgresql.conf`",
        ),
        Weakness::Unconfirmed => report.wrong(
            "`synchronous_commit` is off: a crash of the server loses answers that people were told are saved",
            "set `synchronous_commit = on` for the server, and look for `alter role` and `alter database` that turn it off",
        ),
        Weakness::TornPages => report.odd(
            "`full_page_writes` is off: a crash of the server's machine can damage pages",
            "set `full_page_writes = on`, unless the file system never writes part of a page",
        ),
        Weakness::AsynchronousStandbys(count) => report.odd(
            format!("no commit waits for a standby ({count} connected), so a failover can lose the last moments"),
            "set `synchronous_standby_names`, or `synchronous_mode: true` in Patroni",
        ),
        Weakness::Unencrypted(host) => report.odd(
            format!("the connection to `{host}` is not encrypted"),
            "add `sslmode=verify-full` to the address of the database",
        ),
        Weakness::Connections(room) => report.odd(
            format!("the server has room for {room} connections; a node takes up to ten"),
            "raise `max_connections` to at least 30",
        ),
        Weakness::Untested(major) => report.odd(
            format!("PostgreSQL {major} was never tested"),
            "upgrade the server to PostgreSQL 15 or newer",
        ),
        Weakness::Unreachable { node, address } => report.odd(
            match address {
                Some(address) => format!(
                    "the active node, `{node}`, tells other machines to reach it at {address}, which they can't"
                ),
                None => format!("the active node, `{node}`, doesn't say where other machines reach it"),
            },
            "have it listen on an address of its machine, or set `node_host` under `[postgres]` there",
        ),
    }
}
