-- Whether the database takes changes, and has room, is known by writing; see store/Pulse.

CREATE TABLE probes (
  id   TEXT NOT NULL PRIMARY KEY,
  body TEXT NOT NULL
);
