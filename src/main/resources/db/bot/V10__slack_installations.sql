-- The workspaces that installed the Slack app; their tokens are sealed.
CREATE TABLE slack_installations (
  team          TEXT NOT NULL PRIMARY KEY,
  name          TEXT NOT NULL,
  sealed        TEXT NOT NULL,
  version       BIGINT NOT NULL,
  written_at    BIGINT NOT NULL,
  claimed_until BIGINT NOT NULL
);

-- What an installation began with is good for one: these were used.
CREATE TABLE slack_states_used (
  state      TEXT NOT NULL PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
