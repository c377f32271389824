-- The second wall: whatever a query says, rows of one owner alone are seen and written, of whoever
-- the transaction was told to be. Who was told nothing sees nothing. Forced: also for the role that
-- owns the tables. Only a superuser, and a role that may bypass it, sees past it.
-- A case, and not two conditions: the planner then guesses its share of the rows as one half, and
-- goes on beginning with the index of the query's own conditions.
DO $$
DECLARE
    held record;
BEGIN
    FOR held IN
        SELECT c.relname AS name, a.attname AS whose FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
          AND (a.attname = 'owner' OR (c.relname = 'person' AND a.attname = 'name'))
    LOOP
        EXECUTE format(
            'CREATE POLICY wall ON %I USING (CASE (SELECT current_setting(''saegim.owner'', true)) '
            'WHEN '''' THEN false WHEN ''*'' THEN true '
            'ELSE %I = (SELECT current_setting(''saegim.owner'', true)) END)',
            held.name, held.whose);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', held.name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', held.name);
    END LOOP;
END
$$;
-- Words bear their owner's mark. As in the searches: no plan is to begin with all lines of an owner.
CREATE POLICY wall ON words_basic_content USING (
    CASE (SELECT current_setting('saegim.owner', true)) WHEN '' THEN false WHEN '*' THEN true
    ELSE c0 = (SELECT 'u' || encode(convert_to(current_setting('saegim.owner', true), 'UTF8'), 'hex'))
    END);
ALTER TABLE words_basic_content ENABLE ROW LEVEL SECURITY;
ALTER TABLE words_basic_content FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON words_kiwi_content USING (
    CASE (SELECT current_setting('saegim.owner', true)) WHEN '' THEN false WHEN '*' THEN true
    ELSE c0 = (SELECT 'u' || encode(convert_to(current_setting('saegim.owner', true), 'UTF8'), 'hex'))
    END);
ALTER TABLE words_kiwi_content ENABLE ROW LEVEL SECURITY;
ALTER TABLE words_kiwi_content FORCE ROW LEVEL SECURITY;
-- Who looks through a view is who asks, not who made it.
ALTER VIEW words_basic SET (security_invoker = true);
ALTER VIEW words_kiwi SET (security_invoker = true);
ALTER VIEW era SET (security_invoker = true);
-- A condition may be looked at before the wall, and so by an index, only if it tells nothing of rows
-- that it refuses. The match of words tells nothing, but only a superuser may say so.
DO $$
BEGIN
    ALTER FUNCTION pg_catalog.ts_match_vq (tsvector, tsquery) LEAKPROOF;
EXCEPTION WHEN insufficient_privilege THEN
    NULL; -- the search reads every line of the owner until it is said; `doctor` tells how
END
$$;
