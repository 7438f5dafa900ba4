-- What answers have left in the account at a provider, and for whom: containers, files. A provider's account is often shared
-- by organizations, and its ids are all that keeps one from reading what is another's.

CREATE TABLE account_object (
  organization_id text NOT NULL,
  -- Whose session token it was made with, as project/holder; empty for keys.
  holder text NOT NULL,
  provider_id text NOT NULL,
  -- The organization's own key it was made with; empty for the operator's.
  credential_id text NOT NULL,
  id text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id, provider_id, credential_id, holder)
);
CREATE INDEX account_object_expires_at ON account_object (expires_at);
