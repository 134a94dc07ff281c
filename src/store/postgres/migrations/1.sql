-- What is said in a session is sealed with keys of its own, and those with the operator's key: nothing here is in clear
-- but ids, counts and times. Times are nanoseconds since 1970.

-- One row.
create table store (
    one boolean primary key default true check (one),
    secret bytea not null,
    records bigint not null default 0,
    seal text not null,
    batch bigint not null default 0,
    owner text,
    fence bigint not null default 0,
    lease_until timestamptz
);

create table session (
    id uuid primary key,
    seq bigint not null,
    keys bytea not null,
    head bytea not null,
    person bytea not null,
    place bytea not null,
    is_child boolean not null,
    wants_staff boolean not null,
    is_paused boolean not null,
    goes_at bigint,
    -- The hour of that: what lists are ordered by.
    goes_hour bigint
);
create index session_by_person on session (person, id);
create index session_by_place on session (place, id);
create index session_child on session (id) where is_child;
create index session_wants_staff on session (id) where wants_staff and not is_child;
create index session_paused on session (id) where is_paused and not is_child;
create index session_goes on session (goes_hour, id) where goes_hour is not null and not is_child;

-- The events of one commit, under the number of the first.
create table event (
    session uuid not null,
    seq bigint not null,
    body bytea not null,
    primary key (session, seq)
);

create table wait (
    id uuid primary key,
    session uuid not null,
    body bytea not null
);
create index wait_by_session on wait (session);

-- Where a wait was shown.
create table shown (
    wait uuid primary key,
    session uuid not null,
    body bytea not null
);
create index shown_by_session on shown (session);

-- The outbox. What an erasure says last is sealed with the store's key, since the session's is gone.
create table effect (
    id uuid primary key,
    session uuid not null,
    of_store boolean not null,
    body bytea not null
);
create index effect_by_session on effect (session, id);

create table timer (
    session uuid not null,
    kind smallint not null,
    wait uuid not null,
    at bigint not null,
    primary key (session, kind, wait)
);
create index timer_by_time on timer (at, session, kind, wait);

create table dedup (
    digest bytea primary key,
    session uuid not null
);
create index dedup_by_session on dedup (session);

-- The audit chain. `words` is gone once they are erased.
create table audit (
    index bigint primary key,
    session uuid,
    body bytea not null,
    words bytea
);
create index audit_by_session on audit (session, index);

create table account (
    digest bytea primary key,
    body bytea not null
);

create table note (
    digest bytea primary key,
    session uuid,
    body bytea not null
);
create index note_by_session on note (session);
