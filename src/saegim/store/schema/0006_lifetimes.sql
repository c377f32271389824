-- What a memory is kept for (decision 0012). What was kept before this version: what a person asked
-- to keep, and what is by its kind no happening, lasts; the rest passes, as it was told it would.
ALTER TABLE memory ADD COLUMN lifetime TEXT NOT NULL DEFAULT 'passing';
ALTER TABLE memory ADD COLUMN last_date BIGINT;
UPDATE memory SET lifetime = 'lasting'
 WHERE kind IN ('preference', 'principle')
    OR (origin IN ('user_said', 'user_confirmed')
        AND (source = 'user' OR kind = 'fact'
             -- Overheard, but born in M90: "remember this".
             OR (tier = 'M90' AND promoted_from IS NULL)));
