-- Changes of what organizations bring along are audited too; a credential shows as there, and no more.

CREATE TRIGGER provider_key_audited AFTER INSERT OR UPDATE OR DELETE ON provider_key
  FOR EACH ROW EXECUTE FUNCTION audit_change('provider_key', 'id', 'hide:sealed');
CREATE TRIGGER custom_provider_audited AFTER INSERT OR UPDATE OR DELETE ON custom_provider
  FOR EACH ROW EXECUTE FUNCTION audit_change('custom_provider', 'id', 'hide:sealed');
CREATE TRIGGER custom_model_audited AFTER INSERT OR UPDATE OR DELETE ON custom_model
  FOR EACH ROW EXECUTE FUNCTION audit_change('custom_model', 'id');
