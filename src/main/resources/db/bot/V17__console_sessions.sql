-- Who is signed in at the console, and links that sign in once. What is kept are hashes of the secrets.
CREATE TABLE console_sessions (
  hash       TEXT NOT NULL PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
CREATE TABLE console_links (
  hash       TEXT NOT NULL PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
