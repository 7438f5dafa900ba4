-- The audit log: one row per change of what an operator decides, written by triggers in the transaction of the change. Neither
-- can be committed without the other, and no writer can forget it. Rows are never changed or deleted. Each audited table has
-- its trigger beside it.

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
  after jsonb,
  -- The person, where the actor is the session of somebody who signed in: the name is kept longer than the session.
  person text
);
CREATE INDEX audit_log_organization ON audit_log (organization_id, id DESC);
CREATE INDEX audit_log_subject ON audit_log (subject_id, id DESC);
CREATE INDEX audit_log_actor ON audit_log (actor, id DESC);

CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- The setting `sluice.actor` of the transaction, else the application name of the connection.
CREATE OR REPLACE FUNCTION audit_actor() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT COALESCE(
    NULLIF(current_setting('sluice.actor', true), ''),
    CASE current_setting('application_name')
      WHEN 'sluice command' THEN 'command line'
      WHEN '' THEN 'unnamed program'
      ELSE current_setting('application_name')
    END);
$$;

CREATE OR REPLACE FUNCTION audit_write(p_action text, p_subject text, p_organization text, p_before jsonb, p_after jsonb)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  INSERT INTO audit_log (actor, person, request_id, action, subject_id, organization_id, before, after)
  VALUES (audit_actor(), NULLIF(current_setting('sluice.person', true), ''),
    NULLIF(current_setting('sluice.request_id', true), ''), p_action, p_subject, p_organization, p_before, p_after);
END $$;

-- Pico-USD as exact decimal USD.
CREATE OR REPLACE FUNCTION audit_usd(p_amount numeric) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT trim_scale(p_amount * 0.000000000001)::text;
$$;

-- The columns of a row as they may be shown: `hide:<column>` is a secret or its digest, `usd:<column>` an amount.
CREATE OR REPLACE FUNCTION audit_members(p_row jsonb, p_notes text[]) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (
    SELECT jsonb_object_agg(
      CASE m.key WHEN 'lim' THEN 'limit' ELSE m.key END,
      CASE
        WHEN 'hide:' || m.key = ANY (p_notes) THEN '"(not shown)"'::jsonb
        WHEN 'usd:' || m.key = ANY (p_notes) AND jsonb_typeof(m.value) = 'number' THEN to_jsonb(audit_usd(m.value::numeric))
        ELSE m.value
      END)
    FROM jsonb_each(p_row) AS m);
END $$;

-- Audits a table: `audit_change(name of the subject, column with its id, notes on columns as in audit_members…)`. Of an update
-- only the columns that differ are kept; an update that changes nothing is not recorded. `audit_organization` follows the
-- tables it reads.
CREATE OR REPLACE FUNCTION audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
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
