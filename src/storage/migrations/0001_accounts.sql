-- The account tree: organization → project → key. Of a key only its digest is kept.

CREATE TABLE organization (
  id text PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE project (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organization (id),
  name text NOT NULL,
  cache_ttl_seconds integer CHECK (cache_ttl_seconds BETWEEN 10 AND 31536000),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX project_organization_id ON project (organization_id);

CREATE TABLE api_key (
  id text PRIMARY KEY,
  project_id text NOT NULL REFERENCES project (id),
  label text NOT NULL,
  digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
  masked text NOT NULL,
  disabled_at timestamptz,
  deleted_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_key_project_id ON api_key (project_id);

CREATE TABLE admin_key (
  id text PRIMARY KEY,
  label text NOT NULL,
  digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
  masked text NOT NULL,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Every process keeps a snapshot of keys; a change tells them all which rows to forget.
CREATE FUNCTION notify_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('sluice_accounts', TG_TABLE_NAME || ':' || COALESCE(NEW.id, OLD.id));
  RETURN NULL;
END $$;

CREATE TRIGGER organization_changed AFTER INSERT OR UPDATE OR DELETE ON organization
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE TRIGGER project_changed AFTER INSERT OR UPDATE OR DELETE ON project
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE TRIGGER api_key_changed AFTER INSERT OR UPDATE OR DELETE ON api_key
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();
