PRAGMA user_version = 11
PRAGMA application_id = 1525029377
PRAGMA page_size = 4096
PRAGMA encoding = UTF-8
PRAGMA auto_vacuum = 0
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
    digest          TEXT NOT NULL, lifetime TEXT NOT NULL DEFAULT 'passing', last_date BIGINT,
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
CREATE VIRTUAL TABLE words_basic USING fts5 (
    scope, text, about,
    tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE TABLE 'words_basic_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'words_basic_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE 'words_basic_content'(id INTEGER PRIMARY KEY, c0, c1, c2);
CREATE TABLE 'words_basic_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
CREATE TABLE 'words_basic_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE VIRTUAL TABLE words_kiwi USING fts5 (
    scope, text, about,
    tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE TABLE 'words_kiwi_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'words_kiwi_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE 'words_kiwi_content'(id INTEGER PRIMARY KEY, c0, c1, c2);
CREATE TABLE 'words_kiwi_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
CREATE TABLE 'words_kiwi_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE analysed (
    analyser TEXT NOT NULL,
    number   INTEGER NOT NULL,
    PRIMARY KEY (analyser, number)
) WITHOUT ROWID;
CREATE TABLE vector (
    embedder INTEGER NOT NULL,
    number   INTEGER NOT NULL,
    owner    TEXT NOT NULL,
    seq      INTEGER NOT NULL,
    live     INTEGER NOT NULL,
    data     BLOB,
    attempts INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER,
    error    TEXT,
    PRIMARY KEY (embedder, number)
) WITHOUT ROWID;
CREATE INDEX vector_by_seq ON vector (owner, embedder, seq);
CREATE VIRTUAL TABLE words_basic_vocab USING fts5vocab (words_basic, row);
CREATE VIRTUAL TABLE words_kiwi_vocab USING fts5vocab (words_kiwi, row);
CREATE INDEX vector_waiting ON vector (embedder, retry_at) WHERE data IS NULL AND retry_at IS NOT NULL;
CREATE TABLE job (
    owner        TEXT NOT NULL,
    id           TEXT NOT NULL,
    kind         TEXT NOT NULL,
    subject      TEXT NOT NULL,
    state        TEXT NOT NULL,
    attempts     BIGINT NOT NULL,
    due_at       BIGINT NOT NULL,
    leased_by    TEXT,
    leased_until BIGINT,
    error        TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX job_due ON job (state, due_at);
CREATE UNIQUE INDEX job_by_subject ON job (owner, subject, kind);
CREATE TABLE alias (
    owner  TEXT NOT NULL,
    name   TEXT NOT NULL,
    entity TEXT NOT NULL,
    PRIMARY KEY (owner, name, entity)
);
CREATE TABLE claim (
    owner    TEXT NOT NULL,
    slot     TEXT NOT NULL,
    number   BIGINT NOT NULL,
    value    TEXT NOT NULL,
    negative INTEGER NOT NULL,
    PRIMARY KEY (owner, slot, number, value)
);
CREATE INDEX claim_by_memory ON claim (number);
CREATE TABLE felt (
    owner  TEXT NOT NULL,
    word   TEXT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (owner, word, number)
);
CREATE INDEX felt_by_memory ON felt (number);
CREATE TABLE mention (
    owner  TEXT NOT NULL,
    starts BIGINT NOT NULL,
    ends   BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (owner, starts, ends, number)
);
CREATE INDEX mention_by_memory ON mention (number);
CREATE TABLE session (
    owner      TEXT NOT NULL,
    id         TEXT NOT NULL,
    agent      TEXT NOT NULL,
    project    TEXT NOT NULL,
    platform   TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at   BIGINT,
    turns      BIGINT NOT NULL,
    topic      TEXT NOT NULL,
    summary    TEXT NOT NULL,
    runs       BIGINT NOT NULL,
    PRIMARY KEY (owner, agent, project, id)
);
CREATE INDEX session_by_start ON session (owner, started_at);
CREATE TABLE ageing (
    number        BIGINT PRIMARY KEY,
    owner         TEXT NOT NULL,
    shrunk        INTEGER NOT NULL DEFAULT 0,
    dormant_since BIGINT,
    settled_at    BIGINT,
    touched_at    BIGINT,
    lent          DOUBLE PRECISION NOT NULL DEFAULT 0
);
CREATE TABLE night (
    owner        TEXT NOT NULL,
    id           TEXT NOT NULL,
    at           BIGINT NOT NULL,
    state        TEXT NOT NULL,
    stages       TEXT NOT NULL,
    done         TEXT NOT NULL,
    told         TEXT NOT NULL,
    fence        BIGINT NOT NULL,
    leased_until BIGINT NOT NULL,
    holder       TEXT NOT NULL,
    lets_go      INTEGER NOT NULL,
    began_at     BIGINT NOT NULL,
    ended_at     BIGINT,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX night_running ON night (owner) WHERE state = 'running';
CREATE TABLE rota (
    owner   TEXT NOT NULL,
    stage   TEXT NOT NULL,
    due_at  BIGINT NOT NULL,
    covered BIGINT NOT NULL,
    place   TEXT NOT NULL,
    PRIMARY KEY (owner, stage)
);
CREATE TABLE watch (
    owner       TEXT PRIMARY KEY,
    seen_at     BIGINT NOT NULL,
    quiet_until BIGINT NOT NULL,
    paused      INTEGER NOT NULL
);
CREATE TABLE before (
    owner   TEXT NOT NULL,
    seq     BIGINT NOT NULL,
    maker   TEXT NOT NULL,
    change  TEXT NOT NULL,
    subject TEXT NOT NULL,
    target  TEXT NOT NULL,
    other   TEXT NOT NULL,
    held    TEXT NOT NULL,
    until   BIGINT NOT NULL,
    PRIMARY KEY (owner, seq)
);
CREATE INDEX before_by_maker ON before (owner, maker, seq);
CREATE INDEX before_by_target ON before (owner, target);
CREATE INDEX before_by_other ON before (owner, other) WHERE other <> '';
CREATE INDEX alias_by_entity ON alias (owner, entity, name);
CREATE INDEX sentiment_by_memory ON sentiment (owner, memory);
CREATE TABLE place (
    owner   TEXT NOT NULL,
    place   TEXT NOT NULL,
    project TEXT NOT NULL,
    beside  TEXT NOT NULL,
    PRIMARY KEY (owner, place)
);
CREATE INDEX place_by_project ON place (owner, project);
CREATE INDEX place_beside ON place (owner, beside) WHERE beside <> '';
CREATE TABLE seal (
    owner TEXT NOT NULL,
    part  INTEGER NOT NULL,
    key   BIGINT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (owner, part, key)
) WITHOUT ROWID;
CREATE TABLE profile (
    owner   TEXT NOT NULL,
    subject TEXT NOT NULL,
    slot    TEXT NOT NULL,
    value   TEXT NOT NULL,
    number  BIGINT NOT NULL,
    denied  INTEGER NOT NULL,
    unsure  INTEGER NOT NULL,
    changes REAL NOT NULL,
    sure    REAL NOT NULL,
    -- Where the value begins in the words.
    place   INTEGER NOT NULL,
    PRIMARY KEY (owner, subject, slot, number, value)
);
CREATE INDEX profile_by_memory ON profile (number);
CREATE TABLE profile_read (
    reader TEXT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (reader, number)
);
CREATE INDEX profile_read_by_memory ON profile_read (number);
CREATE TABLE experience (
    owner    TEXT NOT NULL,
    id       TEXT NOT NULL,
    -- turn: what was done with a turn; shown: one memory of an answer.
    kind     TEXT NOT NULL,
    at       BIGINT NOT NULL,
    session  TEXT NOT NULL,
    memory   TEXT NOT NULL,
    action   TEXT NOT NULL,
    -- What the rule would have done; who decided: rule, learned or explored.
    ruled    TEXT NOT NULL,
    decided  TEXT NOT NULL,
    phase    INTEGER NOT NULL,
    state    BLOB NOT NULL,
    -- What the turn means to the embedder, where the large policy is wanted.
    meaning  BLOB,
    reward   REAL,
    -- The order in which rewards came: up to where a learner has learned.
    followed BIGINT,
    PRIMARY KEY (owner, id)
);
CREATE INDEX experience_by_memory ON experience (owner, memory);
CREATE INDEX experience_by_session ON experience (owner, session, kind, at);
CREATE INDEX experience_by_reward ON experience (owner, kind, followed);
CREATE TABLE decision_count (
    owner   TEXT NOT NULL,
    action  TEXT NOT NULL,
    decided TEXT NOT NULL,
    count   BIGINT NOT NULL,
    PRIMARY KEY (owner, action, decided)
);
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
CREATE TABLE page_visit (
    digest TEXT NOT NULL PRIMARY KEY,
    owner  TEXT NOT NULL,
    kind   TEXT NOT NULL,
    until  BIGINT NOT NULL
);
CREATE INDEX page_visit_by_owner ON page_visit (owner, kind);
CREATE TABLE person_use (
    owner TEXT NOT NULL,
    day   TEXT NOT NULL,
    what  TEXT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (owner, day, what)
);
CREATE INDEX memory_core ON memory (owner, state, happened_at, number)
    WHERE tier = 'M0';
CREATE INDEX memory_imagined ON memory (owner, state, happened_at, number)
    WHERE kind = 'imagined';
CREATE INDEX memory_of_others ON memory (owner, author, number) WHERE author <> '';
CREATE INDEX ledger_by_change ON ledger (owner, change, seq);
CREATE INDEX ledger_by_time ON ledger (owner, at);
CREATE INDEX link_by_type ON link (owner, type, created_at);
CREATE TABLE "spending" (
    owner      TEXT NOT NULL DEFAULT '',
    day        TEXT NOT NULL,
    purpose    TEXT NOT NULL,
    model      TEXT NOT NULL,
    calls      BIGINT NOT NULL,
    failed     BIGINT NOT NULL,
    tokens_in  BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    PRIMARY KEY (owner, day, purpose, model)
);
CREATE INDEX spending_by_day ON "spending" (day);
