-- Who is behind a key: members of an organization, a secret that replaces another, and tokens a key makes for end users.

CREATE TABLE member (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organization (id),
  name text NOT NULL,
  email text,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  -- The budget per period; the all-time budget is the limit of the meter `member`.
  recurring_lim numeric(38, 0) CHECK (recurring_lim >= 0),
  recurring_period text CHECK (recurring_period IN ('hour', 'day', 'week', 'month')),
  removed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((recurring_lim IS NULL) = (recurring_period IS NULL))
);
CREATE INDEX member_organization_id ON member (organization_id);
CREATE UNIQUE INDEX member_email ON member (organization_id, lower(email)) WHERE removed_at IS NULL;

ALTER TABLE api_key
  ADD COLUMN member_id text REFERENCES member (id),
  -- The secret before the present one, and until when it still opens. There is one such place: a key has two secrets at most.
  ADD COLUMN previous_digest bytea UNIQUE CHECK (octet_length(previous_digest) = 32),
  ADD COLUMN previous_expires_at timestamptz,
  ADD CONSTRAINT api_key_previous_check CHECK ((previous_digest IS NULL) = (previous_expires_at IS NULL));
CREATE INDEX api_key_member_id ON api_key (member_id) WHERE member_id IS NOT NULL;

CREATE TABLE session_token (
  id text PRIMARY KEY,
  key_id text NOT NULL REFERENCES api_key (id),
  digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
  masked text NOT NULL,
  -- The only models it may use; all that its key may use where there are none.
  models text[] CHECK (cardinality(models) > 0),
  end_user_id text,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX session_token_key_id ON session_token (key_id, created_at DESC);

-- A new row needs no telling: no process can have seen it before.
CREATE TRIGGER member_changed AFTER UPDATE OF role, removed_at ON member
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE TRIGGER session_token_changed AFTER UPDATE OR DELETE ON session_token
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();

-- A member's meters are guarded by the meter `credits` of its organization, a session token's by the meter `key` of its key:
-- whoever charges them holds those locks anyway.
ALTER TABLE meter DROP CONSTRAINT meter_kind_check, DROP CONSTRAINT meter_period_check;
ALTER TABLE meter
  ADD CONSTRAINT meter_kind_check CHECK (
    kind IN ('key', 'credits', 'recurring', 'plan', 'premium', 'member', 'member_recurring', 'session')),
  ADD CONSTRAINT meter_guard_check CHECK ((kind IN ('key', 'credits')) = (guard_id IS NULL)),
  ADD CONSTRAINT meter_period_check CHECK (
    (kind IN ('key', 'credits', 'member', 'session')) = (starts_at IS NULL) AND (starts_at IS NULL) = (ends_at IS NULL));
