-- Numbers about runs are read without the runs' texts.
CREATE INDEX runs_numbers ON runs (
  created_at, state, source, environment_id, model_id, started_at, worked, request_usage
);
