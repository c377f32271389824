-- What the night needs: how memories age, which nights there were, and what each change undid.

-- What becomes of a memory as time passes; one that was never touched by a night has no row.
-- `settled_at` is its last promotion or restore, `touched_at` the last time it was rated or woken;
-- `lent` is the part of its importance that references lend it.
CREATE TABLE ageing (
    number        BIGINT PRIMARY KEY,
    owner         TEXT NOT NULL,
    shrunk        INTEGER NOT NULL DEFAULT 0,
    dormant_since BIGINT,
    settled_at    BIGINT,
    touched_at    BIGINT,
    lent          DOUBLE PRECISION NOT NULL DEFAULT 0
);
INSERT INTO ageing (number, owner, dormant_since)
    SELECT m.number, m.owner, coalesce(m.recalled_at, m.recorded_at) FROM memory m
    WHERE m.state = 'dormant';

-- One sleep of one owner. `at` is the instant it counts with, also when it is taken up again;
-- a commit under an older `fence` than the row's is refused.
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

-- When each stage is due, the period it last covered, and up to where it had looked.
CREATE TABLE rota (
    owner   TEXT NOT NULL,
    stage   TEXT NOT NULL,
    due_at  BIGINT NOT NULL,
    covered BIGINT NOT NULL,
    place   TEXT NOT NULL,
    PRIMARY KEY (owner, stage)
);

-- What the watch knows of the clock: the last night it saw, and until when nothing may leave.
CREATE TABLE watch (
    owner       TEXT PRIMARY KEY,
    seen_at     BIGINT NOT NULL,
    quiet_until BIGINT NOT NULL,
    paused      INTEGER NOT NULL
);

-- What stood there before a Change that can be taken back; it goes when the way back ends.
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
-- So that letting one memory go does not read every name, feeling and image.
CREATE INDEX IF NOT EXISTS alias_by_entity ON alias (owner, entity, name);
CREATE INDEX IF NOT EXISTS sentiment_by_memory ON sentiment (owner, memory);
