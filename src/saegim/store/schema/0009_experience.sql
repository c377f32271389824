-- What was decided and shown, and what followed: numbers and ids, never words. Bounded, outside the
-- ledger as counts are, and gone with the memory it is about.
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
-- How often each action was decided, by whom, ever.
CREATE TABLE decision_count (
    owner   TEXT NOT NULL,
    action  TEXT NOT NULL,
    decided TEXT NOT NULL,
    count   BIGINT NOT NULL,
    PRIMARY KEY (owner, action, decided)
);
