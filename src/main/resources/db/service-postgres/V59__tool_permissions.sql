-- What people decided about the tools that the agent of the run asked for, as JSON.
ALTER TABLE runs ADD COLUMN tool_permissions TEXT;
