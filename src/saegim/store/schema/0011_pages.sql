-- What a page asks for is found without reading everything: the few that are kept for ever, were
-- only imagined or said by others, the lines of one kind, those of a day, and the ties of one kind.
CREATE INDEX IF NOT EXISTS memory_core ON memory (owner, state, happened_at, number)
    WHERE tier = 'M0';
CREATE INDEX IF NOT EXISTS memory_imagined ON memory (owner, state, happened_at, number)
    WHERE kind = 'imagined';
CREATE INDEX IF NOT EXISTS memory_of_others ON memory (owner, author, number) WHERE author <> '';
CREATE INDEX IF NOT EXISTS ledger_by_change ON ledger (owner, change, seq);
CREATE INDEX IF NOT EXISTS ledger_by_time ON ledger (owner, at);
CREATE INDEX IF NOT EXISTS link_by_type ON link (owner, type, created_at);
