-- The audit log: one row per change of what an operator decides, written by triggers in the transaction of the change. Neither
-- can be committed without the other, and no writer can forget it. Rows are never changed or deleted.

CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- An admin key's id, `command line`, or the application name of another program that is connected.
  actor text NOT NULL,
  request_id text,
  action text NOT NULL,
  subject_id text NOT NULL,
  organization_id text,
  before jsonb,
  after jsonb
);
CREATE INDEX audit_log_organization ON audit_log (organization_id, id DESC);
CREATE INDEX audit_log_subject ON audit_log (subject_id, id DESC);
CREATE INDEX audit_log_actor ON audit_log (actor, id DESC);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- The setting `sluice.actor` of the transaction, else the application name of the connection.
CREATE FUNCTION audit_actor() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT COALESCE(
    NULLIF(current_setting('sluice.actor', true), ''),
    CASE current_setting('application_name')
      WHEN 'sluice command' THEN 'command line'
      WHEN '' THEN 'unnamed program'
      ELSE current_setting('application_name')
    END);
$$;

CREATE FUNCTION audit_write(p_action text, p_subject text, p_organization text, p_before jsonb, p_after jsonb)
RETURNS void LANGUAGE sql VOLATILE AS $$
  INSERT INTO audit_log (actor, request_id, action, subject_id, organization_id, before, after)
  VALUES (audit_actor(), NULLIF(current_setting('sluice.request_id', true), ''), p_action, p_subject, p_organization,
    p_before, p_after);
$$;

-- Pico-USD as exact decimal USD.
CREATE FUNCTION audit_usd(p_amount numeric) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT trim_scale(p_amount * 0.000000000001)::text;
$$;

-- The columns of a row as they may be shown: `hide:<column>` is a secret or its digest, `usd:<column>` an amount.
CREATE FUNCTION audit_members(p_row jsonb, p_notes text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_object_agg(
    CASE m.key WHEN 'lim' THEN 'limit' ELSE m.key END,
    CASE
      WHEN 'hide:' || m.key = ANY (p_notes) THEN '"(not shown)"'::jsonb
      WHEN 'usd:' || m.key = ANY (p_notes) AND jsonb_typeof(m.value) = 'number' THEN to_jsonb(audit_usd(m.value::numeric))
      ELSE m.value
    END)
  FROM jsonb_each(p_row) AS m;
$$;

-- The organization of a row, by the columns it has.
CREATE FUNCTION audit_organization(p_table text, p_row jsonb) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN p_table = 'organization' THEN p_row ->> 'id'
    WHEN p_row ? 'organization_id' THEN p_row ->> 'organization_id'
    WHEN p_row ? 'project_id' THEN (SELECT p.organization_id FROM project p WHERE p.id = p_row ->> 'project_id')
    WHEN p_row ? 'key_id' THEN (
      SELECT p.organization_id FROM api_key k JOIN project p ON p.id = k.project_id WHERE k.id = p_row ->> 'key_id')
  END;
$$;

-- Audits a table: `audit_change(name of the subject, column with its id, notes on columns as in audit_members…)`. Of an update
-- only the columns that differ are kept; an update that changes nothing is not recorded.
CREATE FUNCTION audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
  v_after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
  v_row jsonb := COALESCE(v_after, v_before);
BEGIN
  IF TG_OP = 'UPDATE' THEN
    SELECT jsonb_object_agg(m.key, m.value), jsonb_object_agg(m.key, v_row -> m.key) INTO v_before, v_after
    FROM jsonb_each(v_before) AS m WHERE m.value IS DISTINCT FROM v_row -> m.key;
    IF v_before IS NULL THEN
      RETURN NULL;
    END IF;
  ELSE
    v_before := jsonb_strip_nulls(v_before);
    v_after := jsonb_strip_nulls(v_after);
  END IF;
  PERFORM audit_write(
    TG_ARGV[0] || CASE TG_OP WHEN 'INSERT' THEN '.created' WHEN 'UPDATE' THEN '.updated' ELSE '.deleted' END,
    v_row ->> TG_ARGV[1], audit_organization(TG_TABLE_NAME, v_row),
    audit_members(v_before, TG_ARGV[2:]), audit_members(v_after, TG_ARGV[2:]));
  RETURN NULL;
END $$;

CREATE TRIGGER organization_audited AFTER INSERT OR UPDATE OR DELETE ON organization
  FOR EACH ROW EXECUTE FUNCTION audit_change('organization', 'id');
CREATE TRIGGER project_audited AFTER INSERT OR UPDATE OR DELETE ON project
  FOR EACH ROW EXECUTE FUNCTION audit_change('project', 'id');
CREATE TRIGGER member_audited AFTER INSERT OR UPDATE OR DELETE ON member
  FOR EACH ROW EXECUTE FUNCTION audit_change('member', 'id', 'usd:recurring_lim');
CREATE TRIGGER api_key_audited AFTER INSERT OR UPDATE OR DELETE ON api_key
  FOR EACH ROW EXECUTE FUNCTION audit_change('key', 'id', 'hide:digest', 'hide:previous_digest');
CREATE TRIGGER admin_key_audited AFTER INSERT OR UPDATE OR DELETE ON admin_key
  FOR EACH ROW EXECUTE FUNCTION audit_change('admin_key', 'id', 'hide:digest');
CREATE TRIGGER access_rule_audited AFTER INSERT OR UPDATE OR DELETE ON access_rule
  FOR EACH ROW EXECUTE FUNCTION audit_change('rule', 'id');
CREATE TRIGGER provider_key_audited AFTER INSERT OR UPDATE OR DELETE ON provider_key
  FOR EACH ROW EXECUTE FUNCTION audit_change('provider_key', 'id', 'hide:sealed');
CREATE TRIGGER custom_provider_audited AFTER INSERT OR UPDATE OR DELETE ON custom_provider
  FOR EACH ROW EXECUTE FUNCTION audit_change('custom_provider', 'id', 'hide:sealed');
CREATE TRIGGER custom_model_audited AFTER INSERT OR UPDATE OR DELETE ON custom_model
  FOR EACH ROW EXECUTE FUNCTION audit_change('custom_model', 'id');
CREATE TRIGGER subscription_audited AFTER INSERT OR UPDATE OR DELETE ON subscription
  FOR EACH ROW EXECUTE FUNCTION audit_change('plan', 'organization_id', 'usd:price', 'usd:credits', 'usd:premium');
CREATE TRIGGER recurring_limit_audited AFTER INSERT OR UPDATE OR DELETE ON recurring_limit
  FOR EACH ROW EXECUTE FUNCTION audit_change('recurring_limit', 'key_id', 'usd:lim');
CREATE TRIGGER video_webhook_audited AFTER INSERT OR UPDATE OR DELETE ON video_webhook
  FOR EACH ROW EXECUTE FUNCTION audit_change('video_webhook', 'project_id');

-- The all-time limit of a key is on its meter, which requests change too: only `lim` is compared.
CREATE FUNCTION audit_key_limit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_before numeric := CASE WHEN TG_OP = 'UPDATE' THEN OLD.lim END;
BEGIN
  PERFORM audit_write('key.updated', NEW.subject_id,
    audit_organization(TG_TABLE_NAME, jsonb_build_object('key_id', NEW.subject_id)),
    jsonb_build_object('limit', audit_usd(v_before)), jsonb_build_object('limit', audit_usd(NEW.lim)));
  RETURN NULL;
END $$;
CREATE TRIGGER meter_first_limit_audited AFTER INSERT ON meter
  FOR EACH ROW WHEN (NEW.kind = 'key' AND NEW.lim IS NOT NULL) EXECUTE FUNCTION audit_key_limit();
CREATE TRIGGER meter_limit_audited AFTER UPDATE OF lim ON meter
  FOR EACH ROW WHEN (NEW.kind = 'key' AND NEW.lim IS DISTINCT FROM OLD.lim) EXECUTE FUNCTION audit_key_limit();

-- The all-time budget of a member, likewise.
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

-- Credits that are added. A grant's id is that of its organization, a slash, and its own.
CREATE FUNCTION audit_grant() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_organization text := (SELECT subject_id FROM meter WHERE id = NEW.meter_ids[1]);
BEGIN
  PERFORM audit_write('credits.added', v_organization, v_organization, NULL, jsonb_build_object(
    'amount', audit_usd(NEW.customer), 'grant', substr(NEW.request_id, length(v_organization) + 2)));
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_entry_grant_audited AFTER INSERT ON ledger_entry
  FOR EACH ROW WHEN (NEW.kind = 'grant') EXECUTE FUNCTION audit_grant();
