-- People who share one store, each with a memory of their own: who they are, how they get in, and
-- how much they may have. Without a row here a store is one person's, as it always was.
CREATE TABLE person (
    -- The owner of their memories.
    name        TEXT NOT NULL PRIMARY KEY,
    -- How the name looks: two that look the same cannot both be here.
    looks       TEXT NOT NULL UNIQUE,
    made_at     BIGINT NOT NULL,
    -- What they may have, and ask in a day, at most; where there is no number, there is no limit.
    memories    BIGINT,
    bytes       BIGINT,
    requests    BIGINT,
    model_calls BIGINT
);
CREATE TABLE access_token (
    -- The token itself is kept nowhere.
    digest     TEXT NOT NULL PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    -- Empty: the administrator's, which opens nobody's memory.
    owner      TEXT NOT NULL,
    label      TEXT NOT NULL,
    rights     TEXT NOT NULL,
    made_at    BIGINT NOT NULL,
    expires_at BIGINT,
    used_at    BIGINT,
    revoked_at BIGINT
);
CREATE INDEX access_token_by_owner ON access_token (owner, made_at);
-- Links that let a person into the pages once, and the cookies that they became; digests of both.
CREATE TABLE page_visit (
    digest TEXT NOT NULL PRIMARY KEY,
    owner  TEXT NOT NULL,
    kind   TEXT NOT NULL,
    until  BIGINT NOT NULL
);
CREATE INDEX page_visit_by_owner ON page_visit (owner, kind);
-- How often a person asked on a day: requests, model calls.
CREATE TABLE person_use (
    owner TEXT NOT NULL,
    day   TEXT NOT NULL,
    what  TEXT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (owner, day, what)
);
