-- How the agent goes about the next execution: normal, plan, orchestrate.
ALTER TABLE runs ADD COLUMN mode TEXT NOT NULL DEFAULT 'normal';
-- The queue is one a depth.
CREATE INDEX runs_queue ON runs (state, depth, queued_at);

CREATE INDEX runs_factory ON runs (factory_uid, updated_at, id);
CREATE INDEX runs_agent_first ON runs (COALESCE(skill_spec, char(1114111)), id);
CREATE INDEX runs_agent_last ON runs (COALESCE(skill_spec, ''), id);

-- For words that are rare: who looks for a common one finds a page of it by looking.
CREATE VIRTUAL TABLE run_texts USING fts5 (
  title, prompt, skill_spec, content = 'runs', tokenize = 'trigram'
);

CREATE TRIGGER run_texts_insert AFTER INSERT ON runs BEGIN
  INSERT INTO run_texts (rowid, title, prompt, skill_spec)
  VALUES (new.rowid, new.title, new.prompt, new.skill_spec);
END;

CREATE TRIGGER run_texts_update AFTER UPDATE OF title, prompt, skill_spec ON runs BEGIN
  INSERT INTO run_texts (run_texts, rowid, title, prompt, skill_spec)
  VALUES ('delete', old.rowid, old.title, old.prompt, old.skill_spec);
  INSERT INTO run_texts (rowid, title, prompt, skill_spec)
  VALUES (new.rowid, new.title, new.prompt, new.skill_spec);
END;

INSERT INTO run_texts (run_texts) VALUES ('rebuild');
