-- Which places are which project. A place is a digest: of a repository's origin, of its directory
-- on the disk, or of a path; neither addresses nor paths are kept. Several may be one project.
-- `beside` is the directory that lay at a path when it was noted, so that a path which was left
-- and used again does not mix two projects.
CREATE TABLE place (
    owner   TEXT NOT NULL,
    place   TEXT NOT NULL,
    project TEXT NOT NULL,
    beside  TEXT NOT NULL,
    PRIMARY KEY (owner, place)
);
CREATE INDEX place_by_project ON place (owner, project);
CREATE INDEX place_beside ON place (owner, beside) WHERE beside <> '';
