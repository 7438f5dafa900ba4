-- The account tree: organization → project → key, with the members of an organization, the session tokens of a key, and the
-- admin keys that administer all of it. Of every credential only a digest is kept.

-- Facts about this installation, such as the fingerprint of the secret its keys are hashed with.
CREATE TABLE instance (
  key text PRIMARY KEY,
  value text NOT NULL
);

-- Every process caches keys with all that is above them. A change notifies the processes of the row whose dependents they
-- must read again. What ends with its project or organization is a change of that, because PostgreSQL sends the same message
-- once: thousands of messages would keep every process busy.
CREATE OR REPLACE FUNCTION notify_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_removed text;
BEGIN
  IF TG_TABLE_NAME = 'api_key' AND TG_OP = 'UPDATE' THEN
    IF NEW.deleted_at IS NOT NULL THEN
      v_removed := removed_above(NEW.project_id, NULL);
    END IF;
  ELSIF TG_TABLE_NAME IN ('project', 'member') AND TG_OP = 'UPDATE' THEN
    IF NEW.removed_at IS NOT NULL THEN
      v_removed := removed_above(NULL, NEW.organization_id);
    END IF;
  END IF;
  PERFORM pg_notify('sluice_accounts', COALESCE(v_removed, TG_TABLE_NAME || ':' || COALESCE(NEW.id, OLD.id)));
  RETURN NULL;
END $$;

-- The organization of a project, or an organization, if it was removed, as its change is sent; else the project, if it was.
CREATE OR REPLACE FUNCTION removed_above(p_project text, p_organization text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_organization text := COALESCE(p_organization, (SELECT organization_id FROM project WHERE id = p_project));
BEGIN
  IF EXISTS (SELECT FROM organization WHERE id = v_organization AND removed_at IS NOT NULL) THEN
    RETURN 'organization:' || v_organization;
  END IF;
  IF EXISTS (SELECT FROM project WHERE id = p_project AND removed_at IS NOT NULL) THEN
    RETURN 'project:' || p_project;
  END IF;
  RETURN NULL;
END $$;

-- `rate_limits`: requests and tokens per minute and concurrent requests, in the shape of the type RateLimits; a missing member
-- is not limited.
CREATE TABLE organization (
  id text PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  rate_limits jsonb CHECK (jsonb_typeof(rate_limits) = 'object')
);
CREATE TRIGGER organization_changed AFTER INSERT OR UPDATE OR DELETE ON organization
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE TRIGGER organization_audited AFTER INSERT OR UPDATE OR DELETE ON organization
  FOR EACH ROW EXECUTE FUNCTION audit_change('organization', 'id');

CREATE TABLE project (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organization (id),
  name text NOT NULL,
  -- How long identical requests are replayed; NULL: they are not.
  cache_ttl_seconds integer CHECK (cache_ttl_seconds BETWEEN 10 AND 31536000),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- How long payloads are kept; NULL: they are not.
  payload_days integer CHECK (payload_days BETWEEN 1 AND 400),
  -- The fewest output tokens to which a nearly spent budget may shorten an answer; NULL for the default.
  min_output_tokens integer CHECK (min_output_tokens BETWEEN 1 AND 64000),
  -- How requests choose among providers: the members of `src/accounts/routing/routing-choice.ts`.
  routing jsonb,
  -- Whether another provider continues a streamed answer that one has cut.
  continue boolean NOT NULL DEFAULT false,
  -- Whether prompt-cache marks are set in requests that have none.
  cache_marks boolean NOT NULL DEFAULT false
);
CREATE INDEX project_organization_id ON project (organization_id);
CREATE TRIGGER project_changed AFTER INSERT OR UPDATE OR DELETE ON project
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE TRIGGER project_audited AFTER INSERT OR UPDATE OR DELETE ON project
  FOR EACH ROW EXECUTE FUNCTION audit_change('project', 'id');

-- A removed member stays as a row: log rows and meters refer to it.
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
  -- Who the member is for the issuer of its sign-in; NULL if it never signed in.
  issuer text,
  issuer_subject text,
  CHECK ((recurring_lim IS NULL) = (recurring_period IS NULL)),
  CONSTRAINT member_identity CHECK ((issuer IS NULL) = (issuer_subject IS NULL))
);
CREATE INDEX member_organization_id ON member (organization_id);
CREATE UNIQUE INDEX member_email ON member (organization_id, lower(email)) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX member_issuer_subject ON member (organization_id, issuer, issuer_subject) WHERE removed_at IS NULL;
-- A new member sends nothing: no process can have cached it.
CREATE TRIGGER member_changed AFTER UPDATE OF role, removed_at ON member
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE TRIGGER member_audited AFTER INSERT OR UPDATE OR DELETE ON member
  FOR EACH ROW EXECUTE FUNCTION audit_change('member', 'id', 'usd:recurring_lim');

-- Its limits are elsewhere: all-time on the meter `key`, per period in `recurring_limit`.
CREATE TABLE api_key (
  id text PRIMARY KEY,
  project_id text NOT NULL REFERENCES project (id),
  label text NOT NULL,
  digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
  masked text NOT NULL,
  disabled_at timestamptz,
  deleted_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  rate_limits jsonb CHECK (jsonb_typeof(rate_limits) = 'object'),
  member_id text REFERENCES member (id),
  -- The secret before the last rotation, and until when it is accepted. There is one, so a key has two secrets at most.
  previous_digest bytea UNIQUE CHECK (octet_length(previous_digest) = 32),
  previous_expires_at timestamptz,
  -- As `project.routing`.
  routing jsonb,
  CONSTRAINT api_key_previous_check CHECK ((previous_digest IS NULL) = (previous_expires_at IS NULL))
);
CREATE INDEX api_key_project_id ON api_key (project_id);
CREATE INDEX api_key_member_id ON api_key (member_id) WHERE member_id IS NOT NULL;
CREATE TRIGGER api_key_changed AFTER INSERT OR UPDATE OR DELETE ON api_key
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE TRIGGER api_key_audited AFTER INSERT OR UPDATE OR DELETE ON api_key
  FOR EACH ROW EXECUTE FUNCTION audit_change('key', 'id', 'hide:digest', 'hide:previous_digest');

-- The organization of a row, by the columns it has.
CREATE OR REPLACE FUNCTION audit_organization(p_table text, p_row jsonb) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN CASE
    WHEN p_table = 'organization' THEN p_row ->> 'id'
    WHEN p_row ? 'organization_id' THEN p_row ->> 'organization_id'
    WHEN p_row ? 'project_id' THEN (SELECT p.organization_id FROM project p WHERE p.id = p_row ->> 'project_id')
    WHEN p_row ? 'key_id' THEN (
      SELECT p.organization_id FROM api_key k JOIN project p ON p.id = k.project_id WHERE k.id = p_row ->> 'key_id')
  END;
END $$;

-- A short-lived credential that a key creates for an end user. Its budget is the limit of the meter `session`.
CREATE TABLE session_token (
  id text PRIMARY KEY,
  key_id text NOT NULL REFERENCES api_key (id),
  digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
  masked text NOT NULL,
  -- The only models it may use; NULL: all models of its key.
  models text[] CHECK (cardinality(models) > 0),
  end_user_id text,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX session_token_key_id ON session_token (key_id, created_at DESC);
-- A new session token sends nothing: no process can have cached it.
CREATE TRIGGER session_token_changed AFTER UPDATE OR DELETE ON session_token
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();

-- `scopes`: `all`, or names from ADMIN_SCOPES. A key with an organization sees only that one.
CREATE TABLE admin_key (
  id text PRIMARY KEY,
  label text NOT NULL,
  digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
  masked text NOT NULL,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  scopes text[] NOT NULL DEFAULT '{all}' CHECK (cardinality(scopes) > 0),
  organization_id text REFERENCES organization (id)
);
CREATE INDEX admin_key_organization_id ON admin_key (organization_id);
CREATE TRIGGER admin_key_changed AFTER INSERT OR UPDATE OR DELETE ON admin_key
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE TRIGGER admin_key_audited AFTER INSERT OR UPDATE OR DELETE ON admin_key
  FOR EACH ROW EXECUTE FUNCTION audit_change('admin_key', 'id', 'hide:digest');

-- The response to a request with an Idempotency-Key, written in the transaction of the change it reports. It may contain a
-- new key, so it is encrypted with the installation's secret, which is not in the database.
CREATE TABLE idempotent_answer (
  -- The id of an admin key or of a dashboard session.
  admin_key_id text NOT NULL,
  key text NOT NULL,
  -- HMAC of method, path and body.
  fingerprint bytea NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (admin_key_id, key)
);
CREATE INDEX idempotent_answer_created_at ON idempotent_answer (created_at);

-- Narrows what the keys below an organization, a project or a key may use; `subject_id` is the id of that row. A rule belongs
-- to one organization and applies only inside it.
CREATE TABLE access_rule (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organization (id),
  layer text NOT NULL CHECK (layer IN ('organization', 'project', 'key')),
  subject_id text NOT NULL,
  type text NOT NULL,
  items text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX access_rule_subject ON access_rule (subject_id);
CREATE INDEX access_rule_organization ON access_rule (organization_id);

-- A change of a rule is sent as a change of the row it applies to.
CREATE OR REPLACE FUNCTION notify_access_rule() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_rule access_rule := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  v_project text := CASE v_rule.layer WHEN 'key' THEN (SELECT project_id FROM api_key WHERE id = v_rule.subject_id) END;
BEGIN
  PERFORM pg_notify('sluice_accounts', COALESCE(
    removed_above(v_project, v_rule.organization_id),
    CASE v_rule.layer WHEN 'key' THEN 'api_key' ELSE v_rule.layer END || ':' || v_rule.subject_id));
  RETURN NULL;
END $$;
CREATE TRIGGER access_rule_changed AFTER INSERT OR UPDATE OR DELETE ON access_rule
  FOR EACH ROW EXECUTE FUNCTION notify_access_rule();
CREATE TRIGGER access_rule_audited AFTER INSERT OR UPDATE OR DELETE ON access_rule
  FOR EACH ROW EXECUTE FUNCTION audit_change('rule', 'id');
