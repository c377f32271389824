-- The five nouns, the same text for every database.
-- Times are microseconds since 1970 in UTC; truth is 0 or 1; JSON is TEXT and is never queried.
-- `owner` is the user of the scope and leads every key, so that a store can be sharded by it.

CREATE TABLE house (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE memory (
    number          INTEGER PRIMARY KEY,
    owner           TEXT NOT NULL,
    id              TEXT NOT NULL,
    agent           TEXT NOT NULL,
    project         TEXT NOT NULL,
    session         TEXT NOT NULL,
    visibility      TEXT NOT NULL,
    canonical_key   TEXT NOT NULL,
    text            TEXT,
    kind            TEXT NOT NULL,
    origin          TEXT NOT NULL,
    source          TEXT NOT NULL,
    author          TEXT NOT NULL,
    domain          TEXT,
    persona         TEXT,
    rhythm_phase    TEXT,
    happened_at     BIGINT NOT NULL,
    happened_offset INTEGER NOT NULL,
    recorded_at     BIGINT NOT NULL,
    recorded_offset INTEGER NOT NULL,
    valid_from      BIGINT,
    valid_to        BIGINT,
    sequence        BIGINT,
    sentiment       DOUBLE PRECISION NOT NULL,
    intensity       DOUBLE PRECISION NOT NULL,
    importance      DOUBLE PRECISION NOT NULL,
    confidence      DOUBLE PRECISION NOT NULL,
    rating          INTEGER,
    repeated        DOUBLE PRECISION NOT NULL,
    feedback        DOUBLE PRECISION NOT NULL,
    recalled        BIGINT NOT NULL,
    recalled_at     BIGINT,
    used            BIGINT NOT NULL,
    used_at         BIGINT,
    tier            TEXT NOT NULL,
    state           TEXT NOT NULL,
    expires_at      BIGINT,
    promoted_from   TEXT,
    pinned          INTEGER NOT NULL,
    immutable       INTEGER NOT NULL,
    island          TEXT,
    leaving_since   BIGINT,
    leaving_until   BIGINT,
    leaving_reason  TEXT,
    details         TEXT,
    salt            TEXT,
    digest          TEXT NOT NULL,
    UNIQUE (owner, id)
);
CREATE INDEX memory_by_time ON memory (owner, state, happened_at, number);
CREATE INDEX memory_by_words ON memory (owner, canonical_key);
CREATE INDEX memory_by_session ON memory (owner, session, sequence, number);
CREATE INDEX memory_by_project ON memory (owner, project, number);
CREATE INDEX memory_by_domain ON memory (owner, domain, number) WHERE domain IS NOT NULL;
CREATE INDEX memory_by_persona ON memory (owner, persona, number) WHERE persona IS NOT NULL;
CREATE INDEX memory_leaving ON memory (leaving_until) WHERE leaving_until IS NOT NULL;

CREATE TABLE tag (
    owner  TEXT NOT NULL,
    tag    TEXT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (owner, tag, number)
);
CREATE INDEX tag_by_memory ON tag (number);

CREATE TABLE link (
    owner      TEXT NOT NULL,
    source     TEXT NOT NULL,
    type       TEXT NOT NULL,
    target     TEXT NOT NULL,
    weight     DOUBLE PRECISION NOT NULL,
    negative   INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    touched_at BIGINT NOT NULL,
    PRIMARY KEY (owner, source, type, target)
);
CREATE INDEX link_by_target ON link (owner, target, type);

CREATE TABLE entity (
    owner           TEXT NOT NULL,
    key             TEXT NOT NULL,
    platform        TEXT NOT NULL,
    name            TEXT NOT NULL,
    type            TEXT NOT NULL,
    first_seen_at   BIGINT NOT NULL,
    last_seen_at    BIGINT NOT NULL,
    interactions    BIGINT NOT NULL,
    sentiment       TEXT NOT NULL,
    sentiment_score DOUBLE PRECISION NOT NULL,
    trust           DOUBLE PRECISION NOT NULL,
    details         TEXT NOT NULL,
    PRIMARY KEY (owner, key)
);

CREATE TABLE sentiment (
    owner  TEXT NOT NULL,
    entity TEXT NOT NULL,
    at     BIGINT NOT NULL,
    score  DOUBLE PRECISION NOT NULL,
    label  TEXT NOT NULL,
    memory TEXT NOT NULL,
    PRIMARY KEY (owner, entity, at)
);

CREATE TABLE page (
    owner        TEXT NOT NULL,
    key          TEXT NOT NULL,
    version      BIGINT NOT NULL,
    kind         TEXT NOT NULL,
    title        TEXT NOT NULL,
    body         TEXT NOT NULL,
    data         TEXT NOT NULL,
    derived_from TEXT NOT NULL,
    written_at   BIGINT NOT NULL,
    PRIMARY KEY (owner, key, version)
);

CREATE TABLE ledger (
    owner    TEXT NOT NULL,
    seq      BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    actor    TEXT NOT NULL,
    change   TEXT NOT NULL,
    subject  TEXT NOT NULL,
    facts    TEXT NOT NULL,
    digest   TEXT NOT NULL,
    hash     TEXT NOT NULL,
    PRIMARY KEY (owner, seq)
);
CREATE INDEX ledger_by_subject ON ledger (owner, subject, seq);

CREATE TABLE receipt (
    owner   TEXT NOT NULL,
    key     TEXT NOT NULL,
    at      BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    PRIMARY KEY (owner, key)
);

CREATE TABLE archive (
    owner       TEXT NOT NULL,
    id          TEXT NOT NULL,
    archived_at BIGINT NOT NULL,
    packed      BLOB NOT NULL,
    PRIMARY KEY (owner, id)
);

-- Which embedder made which vectors; vectors of different rows here are never compared.
CREATE TABLE embedder (
    number     INTEGER PRIMARY KEY,
    key        TEXT NOT NULL UNIQUE,
    provider   TEXT NOT NULL,
    model      TEXT NOT NULL,
    digest     TEXT NOT NULL,
    dimension  BIGINT NOT NULL,
    policy     TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
