-- Sessions of the dashboard. One begins as a one-time link, with an admin key or with a sign-in by OpenID Connect, and has no
-- more rights than what created it. Only digests of the link and of the cookie are kept. Ended sessions stay for a while: the
-- audit log names them.
CREATE TABLE dashboard_session (
  id text PRIMARY KEY,
  label text NOT NULL,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  organization_id text REFERENCES organization (id),
  -- The admin key that created it; it ends when that is disabled.
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
  -- NULL for sessions by a link or an admin key, which have scopes of their own.
  role text CHECK (role IN ('operator', 'admin', 'viewer', 'member')),
  -- Every session with a role, except an operator's, is the session of a member.
  member_id text REFERENCES member (id),
  -- Of the sign-in it began with: a second session from the same one is refused.
  sign_in_digest bytea UNIQUE CHECK (octet_length(sign_in_digest) = 32),
  -- The issuer's token, encrypted, to sign out there.
  id_token bytea,
  CHECK ((link_digest IS NULL) = (started_at IS NOT NULL) AND (digest IS NULL) = (started_at IS NULL)
    AND (last_seen_at IS NULL) = (started_at IS NULL)),
  CONSTRAINT dashboard_session_member CHECK ((member_id IS NOT NULL) = (COALESCE(role, 'operator') <> 'operator'))
);
CREATE INDEX dashboard_session_organization_id ON dashboard_session (organization_id);
CREATE INDEX dashboard_session_admin_key_id ON dashboard_session (admin_key_id);
CREATE INDEX dashboard_session_member_id ON dashboard_session (member_id);

-- Not `last_seen_at`, which requests move.
CREATE TRIGGER dashboard_session_audited AFTER INSERT OR UPDATE OF started_at, ended_at OR DELETE ON dashboard_session
  FOR EACH ROW EXECUTE FUNCTION audit_change('dashboard_session', 'id', 'hide:link_digest', 'hide:digest',
    'hide:sign_in_digest', 'hide:id_token');
