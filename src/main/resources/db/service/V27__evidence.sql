-- What Runnel saw of the run's last execution, as JSON; empty for runs of an earlier version.
ALTER TABLE runs ADD COLUMN evidence TEXT;
