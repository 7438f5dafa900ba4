-- Sessions of the dashboard. One begins as a one-time link, or with an admin key, and has no more rights than what made it.
-- Only digests of the link and of the cookie are kept. Ended sessions stay for a while: the audit log names them.
CREATE TABLE dashboard_session (
  id text PRIMARY KEY,
  label text NOT NULL,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  organization_id text REFERENCES organization (id),
  -- The admin key it was made with; it ends when that is disabled.
  admin_key_id text REFERENCES admin_key (id),
  -- Present until the link is used.
  link_digest bytea UNIQUE CHECK (octet_length(link_digest) = 32),
  -- Present from then on.
  digest bytea UNIQUE CHECK (octet_length(digest) = 32),
  -- Whether its cookie is only sent over TLS.
  secure boolean NOT NULL DEFAULT false,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz,
  last_seen_at timestamptz,
  -- The end of the link, then of the session.
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  CHECK ((link_digest IS NULL) = (started_at IS NOT NULL) AND (digest IS NULL) = (started_at IS NULL)
    AND (last_seen_at IS NULL) = (started_at IS NULL))
);
CREATE INDEX dashboard_session_organization_id ON dashboard_session (organization_id);
CREATE INDEX dashboard_session_admin_key_id ON dashboard_session (admin_key_id);

-- Not `last_seen_at`, which requests move.
CREATE TRIGGER dashboard_session_audited AFTER INSERT OR UPDATE OF started_at, ended_at OR DELETE ON dashboard_session
  FOR EACH ROW EXECUTE FUNCTION audit_change('dashboard_session', 'id', 'hide:link_digest', 'hide:digest');

-- Sessions of the dashboard repeat requests too.
ALTER TABLE idempotent_answer DROP CONSTRAINT idempotent_answer_admin_key_id_fkey;
