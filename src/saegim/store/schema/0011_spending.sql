-- What models cost is noted for each owner: people who share a store share one cap, and it can be
-- told who used it. What was spent before this step was nobody's in particular.
CREATE TABLE spending_of (
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
CREATE INDEX spending_by_day ON spending_of (day);
INSERT INTO spending_of SELECT '', day, purpose, model, calls, failed, tokens_in, tokens_out
    FROM spending;
DROP TABLE spending;
ALTER TABLE spending_of RENAME TO spending;
