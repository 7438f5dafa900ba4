-- Responses that callers asked to keep, so that a later request can go on from one. JSON is kept as text: it is given back
-- as it was, and text holds what jsonb refuses (an escaped NUL).

CREATE TABLE stored_response (
  project_id text NOT NULL,
  id text NOT NULL,
  previous_id text,
  created_at timestamptz NOT NULL,
  item_ids text[] NOT NULL,
  input text NOT NULL,
  output text NOT NULL,
  response text NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX stored_response_item_ids ON stored_response USING gin (item_ids);
CREATE INDEX stored_response_created_at ON stored_response (created_at);
