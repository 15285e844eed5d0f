-- The next run is found without the other runs that wait: who waits, and since when; what is left to other nodes; when
-- somebody last got a slot.
CREATE INDEX runs_queue_people ON runs (state, depth, COALESCE(creator_uid, ''), queued_at, id)
  WHERE state = 'QUEUED';
CREATE INDEX runs_queue_places ON runs (place) WHERE state = 'QUEUED';
CREATE INDEX runs_last_served ON runs (COALESCE(creator_uid, ''), COALESCE(execution_started_at, started_at))
  WHERE depth = 0;
CREATE INDEX runs_below_updated ON runs (updated_at) WHERE depth > 0;
