-- What the memories of an older store feel and speak of.
INSERT INTO felt SELECT DISTINCT m.owner, lower(j.value), m.number
    FROM memory m CROSS JOIN json_each(m.details, '$.feelings') j WHERE m.details IS NOT NULL;
INSERT OR IGNORE INTO felt SELECT m.owner, lower(j.value), m.number
    FROM memory m CROSS JOIN json_each(m.details, '$.feeling_words') j WHERE m.details IS NOT NULL;
INSERT OR IGNORE INTO felt SELECT m.owner, lower(j.value), m.number
    FROM memory m CROSS JOIN json_each(m.details, '$.rhythm_words') j WHERE m.details IS NOT NULL;
INSERT OR IGNORE INTO mention
    SELECT m.owner,
           CAST(strftime('%s', substr(j.value, 1, instr(j.value, '/') - 1)) AS INTEGER) * 1000000,
           CAST(strftime('%s', substr(j.value, instr(j.value, '/') + 1)) AS INTEGER) * 1000000,
           m.number
    FROM memory m CROSS JOIN json_each(m.details, '$.mentions') j
    WHERE m.details IS NOT NULL
      AND strftime('%s', substr(j.value, 1, instr(j.value, '/') - 1)) IS NOT NULL
      AND strftime('%s', substr(j.value, instr(j.value, '/') + 1)) IS NOT NULL;
