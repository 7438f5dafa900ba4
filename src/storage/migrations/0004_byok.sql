-- BYOK: an organization's own keys for providers of the catalogue, and its own providers and models. Credentials are sealed by
-- the gateway; a sealed text is bound to its row, its organization and the address it is sent to.

-- A change is sent as a change of the organization: processes read all keys below it again.
CREATE OR REPLACE FUNCTION notify_byok() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('sluice_accounts', 'organization:' || COALESCE(NEW.organization_id, OLD.organization_id));
  RETURN NULL;
END $$;

CREATE TABLE provider_key (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organization (id),
  provider_id text NOT NULL,
  origin text NOT NULL,
  sealed text NOT NULL,
  masked text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (organization_id, provider_id)
);
CREATE TRIGGER provider_key_changed AFTER INSERT OR UPDATE OR DELETE ON provider_key
  FOR EACH ROW EXECUTE FUNCTION notify_byok();
CREATE TRIGGER provider_key_audited AFTER INSERT OR UPDATE OR DELETE ON provider_key
  FOR EACH ROW EXECUTE FUNCTION audit_change('provider_key', 'id', 'hide:sealed');

CREATE TABLE custom_provider (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organization (id),
  name text NOT NULL,
  format text NOT NULL CHECK (format IN ('chat', 'messages', 'gemini')),
  base_url text NOT NULL,
  sealed text NOT NULL,
  masked text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (organization_id, name),
  UNIQUE (organization_id, id)
);
CREATE TRIGGER custom_provider_changed AFTER INSERT OR UPDATE OR DELETE ON custom_provider
  FOR EACH ROW EXECUTE FUNCTION notify_byok();
CREATE TRIGGER custom_provider_audited AFTER INSERT OR UPDATE OR DELETE ON custom_provider
  FOR EACH ROW EXECUTE FUNCTION audit_change('custom_provider', 'id', 'hide:sealed');

-- The foreign key includes the organization, so a model cannot be added to another organization's provider.
CREATE TABLE custom_model (
  id text PRIMARY KEY,
  organization_id text NOT NULL,
  provider_id text NOT NULL,
  name text NOT NULL,
  external_id text NOT NULL,
  context_length integer NOT NULL CHECK (context_length > 0),
  max_output integer NOT NULL CHECK (max_output > 0),
  price jsonb,
  vision boolean,
  tools boolean,
  reasoning boolean,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  FOREIGN KEY (organization_id, provider_id) REFERENCES custom_provider (organization_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX custom_model_name ON custom_model (provider_id, lower(name));
CREATE INDEX custom_model_organization ON custom_model (organization_id);
CREATE TRIGGER custom_model_changed AFTER INSERT OR UPDATE OR DELETE ON custom_model
  FOR EACH ROW EXECUTE FUNCTION notify_byok();
CREATE TRIGGER custom_model_audited AFTER INSERT OR UPDATE OR DELETE ON custom_model
  FOR EACH ROW EXECUTE FUNCTION audit_change('custom_model', 'id');

-- All of an organization's BYOK as JSON, as requests need it; NULL where there is none.
CREATE OR REPLACE FUNCTION organization_byok(p_organization text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN EXISTS (SELECT FROM provider_key WHERE organization_id = p_organization)
      OR EXISTS (SELECT FROM custom_provider WHERE organization_id = p_organization)
    THEN jsonb_strip_nulls(jsonb_build_object(
      'organizationId', p_organization,
      'keys', (
        SELECT COALESCE(jsonb_agg(jsonb_build_object(
          'id', k.id, 'providerId', k.provider_id, 'address', k.origin, 'sealed', k.sealed) ORDER BY k.id), '[]')
        FROM provider_key k WHERE k.organization_id = p_organization),
      'providers', (
        SELECT COALESCE(jsonb_agg(jsonb_build_object(
          'id', p.id, 'name', p.name, 'format', p.format, 'address', p.base_url, 'sealed', p.sealed,
          'models', (
            SELECT COALESCE(jsonb_agg(jsonb_build_object(
              'name', m.name, 'externalId', m.external_id, 'contextLength', m.context_length, 'maxOutput', m.max_output,
              'price', m.price, 'vision', m.vision, 'tools', m.tools, 'reasoning', m.reasoning) ORDER BY m.created_at, m.id), '[]')
            FROM custom_model m WHERE m.provider_id = p.id)) ORDER BY p.created_at, p.id), '[]')
        FROM custom_provider p WHERE p.organization_id = p_organization)))::text
  END
$$;
