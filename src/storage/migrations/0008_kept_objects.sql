-- What requests leave behind for later requests.

-- Responses with `store`, which a later request may continue. JSON is kept as text: it is returned byte for byte, and text
-- holds what jsonb refuses (an escaped NUL).
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

-- Objects in an account at a provider, such as files and containers, and their owner here. Organizations often share an
-- account, so this table is all that keeps one from reading another's objects.
CREATE TABLE account_object (
  organization_id text NOT NULL,
  -- Owner of the session token that created it, as project/holder; '' where a key did.
  holder text NOT NULL,
  provider_id text NOT NULL,
  -- The organization's own provider key; '' for the operator's.
  credential_id text NOT NULL,
  id text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id, provider_id, credential_id, holder)
);
CREATE INDEX account_object_expires_at ON account_object (expires_at);
