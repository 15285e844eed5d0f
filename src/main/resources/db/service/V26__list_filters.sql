-- Lists with one of these filters, newest first: a page of it is read without the other runs.
CREATE INDEX runs_creator_created ON runs (creator_uid, created_at, id);
CREATE INDEX runs_source_created ON runs (source, created_at, id);
CREATE INDEX runs_environment_created ON runs (environment_id, created_at, id);
CREATE INDEX runs_model_created ON runs (model_id, created_at, id);
