-- Derived from the coordinates of a memory, so that recall can filter by them.

-- The feelings and emotion words of a memory, normalised.
CREATE TABLE felt (
    owner  TEXT NOT NULL,
    word   TEXT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (owner, word, number)
);
CREATE INDEX felt_by_memory ON felt (number);

-- The stretches of time a memory speaks of; microseconds, the end exclusive.
CREATE TABLE mention (
    owner  TEXT NOT NULL,
    starts BIGINT NOT NULL,
    ends   BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (owner, starts, ends, number)
);
CREATE INDEX mention_by_memory ON mention (number);
