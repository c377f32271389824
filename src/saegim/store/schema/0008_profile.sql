-- What the reader of claims found in the words of memories: whose, what, how sure. Derived, and made
-- anew from the words whenever it is missing.
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
-- Which memories a reader has read, also where it found nothing.
CREATE TABLE profile_read (
    reader TEXT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (reader, number)
);
CREATE INDEX profile_read_by_memory ON profile_read (number);
