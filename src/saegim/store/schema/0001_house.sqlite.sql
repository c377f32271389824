-- What SQLite keeps beside the nouns: words and vectors. Both are derived and can be rebuilt.

-- Our own analyser cuts the text; this tokenizer only splits at spaces, so C++, .env and 20.04
-- stay whole. `scope` holds one token per owner, so that a small owner's search stays small.
CREATE VIRTUAL TABLE words_basic USING fts5 (
    scope, text, about,
    tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE VIRTUAL TABLE words_kiwi USING fts5 (
    scope, text, about,
    tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
-- Which analyser has read which memory, so that processes with and without Kiwi share one file.
CREATE TABLE analysed (
    analyser TEXT NOT NULL,
    number   INTEGER NOT NULL,
    PRIMARY KEY (analyser, number)
) WITHOUT ROWID;
-- Up to which memory each analyser has read everything.
INSERT INTO house VALUES ('read:basic-1', '0'), ('read:kiwi-1', '0');

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
-- How many memories hold a token: read straight from the index, nothing is stored twice.
CREATE VIRTUAL TABLE words_basic_vocab USING fts5vocab (words_basic, row);
CREATE VIRTUAL TABLE words_kiwi_vocab USING fts5vocab (words_kiwi, row);
CREATE INDEX vector_waiting ON vector (embedder, retry_at) WHERE data IS NULL AND retry_at IS NOT NULL;

-- No merges on the write path (they run in the background), and deletions that leave no bytes.
INSERT INTO words_basic (words_basic, rank) VALUES ('automerge', 0);
INSERT INTO words_basic (words_basic, rank) VALUES ('crisismerge', 64);
INSERT INTO words_basic (words_basic, rank) VALUES ('usermerge', 2);
INSERT INTO words_basic (words_basic, rank) VALUES ('secure-delete', 1);
INSERT INTO words_kiwi (words_kiwi, rank) VALUES ('automerge', 0);
INSERT INTO words_kiwi (words_kiwi, rank) VALUES ('crisismerge', 64);
INSERT INTO words_kiwi (words_kiwi, rank) VALUES ('usermerge', 2);
INSERT INTO words_kiwi (words_kiwi, rank) VALUES ('secure-delete', 1);
