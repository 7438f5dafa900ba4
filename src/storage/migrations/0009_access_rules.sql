-- Access rules: each narrows what the keys below an organization, a project or a key may use. A rule belongs to one
-- organization, and binds only what is inside it.

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

-- A change is told as a change of the row that the rule is on: snapshots forget the keys below it.
CREATE FUNCTION notify_access_rule() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_rule access_rule := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM pg_notify('sluice_accounts',
    CASE v_rule.layer WHEN 'key' THEN 'api_key' ELSE v_rule.layer END || ':' || v_rule.subject_id);
  RETURN NULL;
END $$;

CREATE TRIGGER access_rule_changed AFTER INSERT OR UPDATE OR DELETE ON access_rule
  FOR EACH ROW EXECUTE FUNCTION notify_access_rule();
