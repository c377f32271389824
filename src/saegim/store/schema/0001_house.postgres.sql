-- What PostgreSQL keeps beside the nouns: words and vectors. Both are derived and can be rebuilt.

-- Ties lie in the order in which they were made, as rows of a file do.
ALTER TABLE link ADD COLUMN rowid BIGINT GENERATED ALWAYS AS IDENTITY;
CREATE UNIQUE INDEX link_by_place ON link (rowid);
CREATE INDEX link_in_order ON link (owner, target, type, rowid);

-- Our own analyser cuts the text. The owner's mark stands inside each token, so that a search reads
-- the postings of one owner alone; a token longer than any word is cut, and looked at again.
CREATE FUNCTION word_tokens (scope TEXT, said TEXT, beside TEXT) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_to_tsvector(ARRAY(
        SELECT left(md5(scope), 8) || left(word, 250)
        FROM unnest(string_to_array(said || ' ' || beside, ' ')) AS word WHERE word <> ''))
$$;
CREATE TABLE words_basic_content (
    id     BIGINT PRIMARY KEY,
    c0     TEXT COLLATE "C" NOT NULL,
    c1     TEXT COLLATE "C" NOT NULL,
    c2     TEXT COLLATE "C" NOT NULL,
    length BIGINT GENERATED ALWAYS AS (1 + cardinality(string_to_array(c1, ' '))
                                       + cardinality(string_to_array(c2, ' '))) STORED,
    tokens tsvector GENERATED ALWAYS AS (word_tokens(c0, c1, c2)) STORED
);
CREATE INDEX words_basic_tokens ON words_basic_content USING gin (tokens) WITH (fastupdate = off);
CREATE INDEX words_basic_scope ON words_basic_content (c0) INCLUDE (length);
CREATE VIEW words_basic AS
    SELECT id AS rowid, c0 AS scope, c1 AS text, c2 AS about FROM words_basic_content;
CREATE TABLE words_kiwi_content (
    id     BIGINT PRIMARY KEY,
    c0     TEXT COLLATE "C" NOT NULL,
    c1     TEXT COLLATE "C" NOT NULL,
    c2     TEXT COLLATE "C" NOT NULL,
    length BIGINT GENERATED ALWAYS AS (1 + cardinality(string_to_array(c1, ' '))
                                       + cardinality(string_to_array(c2, ' '))) STORED,
    tokens tsvector GENERATED ALWAYS AS (word_tokens(c0, c1, c2)) STORED
);
CREATE INDEX words_kiwi_tokens ON words_kiwi_content USING gin (tokens) WITH (fastupdate = off);
CREATE INDEX words_kiwi_scope ON words_kiwi_content (c0) INCLUDE (length);
CREATE VIEW words_kiwi AS
    SELECT id AS rowid, c0 AS scope, c1 AS text, c2 AS about FROM words_kiwi_content;
-- Which analyser has read which memory, so that processes with and without Kiwi share one store.
CREATE TABLE analysed (
    analyser TEXT COLLATE "C" NOT NULL,
    number   BIGINT NOT NULL,
    PRIMARY KEY (analyser, number)
);
-- Up to which memory each analyser has read everything; and the era: what was known before it is void.
INSERT INTO house VALUES ('read:basic-1', '0'), ('read:kiwi-1', '0'), ('era', '1');
CREATE VIEW era AS
    SELECT CAST(value AS BIGINT) AS schema_version FROM house WHERE name = 'era';

-- The bytes are those of the file: one stored form on both.
CREATE TABLE vector (
    embedder BIGINT NOT NULL,
    number   BIGINT NOT NULL,
    owner    TEXT COLLATE "C" NOT NULL,
    seq      BIGINT NOT NULL,
    live     BIGINT NOT NULL,
    data     BYTEA,
    attempts BIGINT NOT NULL DEFAULT 0,
    retry_at BIGINT,
    error    TEXT COLLATE "C",
    PRIMARY KEY (embedder, number)
);
ALTER TABLE vector ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX vector_by_seq ON vector (owner, embedder, seq);
CREATE INDEX vector_waiting ON vector (embedder, retry_at) WHERE data IS NULL AND retry_at IS NOT NULL;
