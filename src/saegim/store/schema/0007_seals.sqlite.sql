-- A keyed digest of every row of the canonical tables, written in the same transaction as the row:
-- what was changed, added or taken away from outside is named by `verify`.
CREATE TABLE seal (
    owner TEXT NOT NULL,
    part  INTEGER NOT NULL,
    key   BIGINT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (owner, part, key)
) WITHOUT ROWID;
INSERT INTO house VALUES ('seal_key', lower(hex(randomblob(16))));
