-- The run whose question a post asks: once it is answered, the post is edited.
ALTER TABLE outbox ADD COLUMN question_of TEXT;
CREATE INDEX outbox_questions ON outbox (question_of, conversation) WHERE question_of IS NOT NULL;
