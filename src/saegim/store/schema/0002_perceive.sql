-- What perceiving needs: work that waits, what models cost, names, and what memories claim.

-- Work to be done later, by whichever process has time; it names a memory, never its words.
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

-- Every call of a language model: counted before it is made, so that a cap holds.
CREATE TABLE spending (
    day        TEXT NOT NULL,
    purpose    TEXT NOT NULL,
    model      TEXT NOT NULL,
    calls      BIGINT NOT NULL,
    failed     BIGINT NOT NULL,
    tokens_in  BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    PRIMARY KEY (day, purpose, model)
);

-- Under which names an entity is known, normalised.
CREATE TABLE alias (
    owner  TEXT NOT NULL,
    name   TEXT NOT NULL,
    entity TEXT NOT NULL,
    PRIMARY KEY (owner, name, entity)
);
INSERT INTO alias SELECT owner, lower(name), key FROM entity WHERE true ON CONFLICT DO NOTHING;

-- Derived from the triples of a memory: the slots for which it claims a value.
CREATE TABLE claim (
    owner    TEXT NOT NULL,
    slot     TEXT NOT NULL,
    number   BIGINT NOT NULL,
    value    TEXT NOT NULL,
    negative INTEGER NOT NULL,
    PRIMARY KEY (owner, slot, number, value)
);
CREATE INDEX claim_by_memory ON claim (number);
