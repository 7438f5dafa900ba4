-- What came after the audit log is audited too: what organizations bring along, their members, and a key's second secret. A
-- credential shows as there, and no more.

CREATE TRIGGER provider_key_audited AFTER INSERT OR UPDATE OR DELETE ON provider_key
  FOR EACH ROW EXECUTE FUNCTION audit_change('provider_key', 'id', 'hide:sealed');
CREATE TRIGGER custom_provider_audited AFTER INSERT OR UPDATE OR DELETE ON custom_provider
  FOR EACH ROW EXECUTE FUNCTION audit_change('custom_provider', 'id', 'hide:sealed');
CREATE TRIGGER custom_model_audited AFTER INSERT OR UPDATE OR DELETE ON custom_model
  FOR EACH ROW EXECUTE FUNCTION audit_change('custom_model', 'id');

CREATE TRIGGER member_audited AFTER INSERT OR UPDATE OR DELETE ON member
  FOR EACH ROW EXECUTE FUNCTION audit_change('member', 'id', 'usd:recurring_lim');

DROP TRIGGER api_key_audited ON api_key;
CREATE TRIGGER api_key_audited AFTER INSERT OR UPDATE OR DELETE ON api_key
  FOR EACH ROW EXECUTE FUNCTION audit_change('key', 'id', 'hide:digest', 'hide:previous_digest');

-- The all-time budget of a member stands on its meter, as a key's limit does.
CREATE FUNCTION audit_member_budget() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_before numeric := CASE WHEN TG_OP = 'UPDATE' THEN OLD.lim END;
BEGIN
  PERFORM audit_write('member.updated', NEW.subject_id, (SELECT organization_id FROM member WHERE id = NEW.subject_id),
    jsonb_build_object('budget', audit_usd(v_before)), jsonb_build_object('budget', audit_usd(NEW.lim)));
  RETURN NULL;
END $$;
CREATE TRIGGER meter_first_budget_audited AFTER INSERT ON meter
  FOR EACH ROW WHEN (NEW.kind = 'member' AND NEW.lim IS NOT NULL) EXECUTE FUNCTION audit_member_budget();
CREATE TRIGGER meter_budget_audited AFTER UPDATE OF lim ON meter
  FOR EACH ROW WHEN (NEW.kind = 'member' AND NEW.lim IS DISTINCT FROM OLD.lim) EXECUTE FUNCTION audit_member_budget();

CREATE TRIGGER video_webhook_audited AFTER INSERT OR UPDATE OR DELETE ON video_webhook
  FOR EACH ROW EXECUTE FUNCTION audit_change('video_webhook', 'project_id');
