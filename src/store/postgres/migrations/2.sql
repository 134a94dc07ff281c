-- Files: those of a session sealed with a key of its own, under names that nobody without it can work out; and flows that
-- sessions began with, which are nobody's, under no session.
create table file (
    session uuid not null,
    name text not null,
    piece integer not null,
    data bytea not null,
    primary key (session, name, piece)
);
-- What is sealed gets no smaller.
alter table file alter column data set storage external;
