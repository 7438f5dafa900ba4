-- What an admin key may do, and for whom: `all`, or scopes as `ADMIN_SCOPES` in src/accounts/admin-key.ts lists them. One
-- that is bound to an organization sees nothing else.

ALTER TABLE admin_key
  ADD COLUMN scopes text[] NOT NULL DEFAULT '{all}' CHECK (cardinality(scopes) > 0),
  ADD COLUMN organization_id text REFERENCES organization (id);
CREATE INDEX admin_key_organization_id ON admin_key (organization_id);

CREATE TRIGGER admin_key_changed AFTER INSERT OR UPDATE OR DELETE ON admin_key
  FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE TRIGGER admin_key_audited AFTER INSERT OR UPDATE OR DELETE ON admin_key
  FOR EACH ROW EXECUTE FUNCTION audit_change('admin_key', 'id', 'hide:digest');
