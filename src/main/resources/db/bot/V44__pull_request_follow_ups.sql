-- What runs were told about their pull requests without being addressed; each cause once.
CREATE TABLE pull_request_follow_ups (
  address  TEXT    NOT NULL,
  cause    TEXT    NOT NULL,
  delivery TEXT    NOT NULL,
  sent     INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (address, cause)
);
CREATE INDEX pull_request_follow_ups_delivery ON pull_request_follow_ups (delivery);
