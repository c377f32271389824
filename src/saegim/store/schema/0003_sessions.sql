-- Sessions are remembered (seed E memory_sessions): where, from when to when, how long, about what.
-- `ended_at` is empty while a session runs, and after a process that held it died.
-- Two agents, or two projects, may each have a session of the same name.
-- `runs` counts how often it was taken up again after an end, so that each run is promoted once.
CREATE TABLE session (
    owner      TEXT NOT NULL,
    id         TEXT NOT NULL,
    agent      TEXT NOT NULL,
    project    TEXT NOT NULL,
    platform   TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at   BIGINT,
    turns      BIGINT NOT NULL,
    topic      TEXT NOT NULL,
    summary    TEXT NOT NULL,
    runs       BIGINT NOT NULL,
    PRIMARY KEY (owner, agent, project, id)
);
CREATE INDEX session_by_start ON session (owner, started_at);
