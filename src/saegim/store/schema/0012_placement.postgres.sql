-- Who does not lie here: owners of a divided installation, and the store of its settings that has
-- them. Of an owner with a row nothing is written here.
CREATE TABLE placement (
    owner TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    store TEXT COLLATE "C" NOT NULL
);
CREATE POLICY wall ON placement USING (
    CASE (SELECT current_setting('saegim.owner', true)) WHEN '' THEN false WHEN '*' THEN true
    ELSE owner = (SELECT current_setting('saegim.owner', true)) END);
ALTER TABLE placement ENABLE ROW LEVEL SECURITY;
ALTER TABLE placement FORCE ROW LEVEL SECURITY;
