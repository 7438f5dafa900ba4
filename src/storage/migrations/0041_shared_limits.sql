-- What all keys of a project or of an organization may spend together per period.
CREATE TABLE shared_limit (
  subject_id text PRIMARY KEY,
  -- The kind of its meters.
  kind text NOT NULL CHECK (kind IN ('project_recurring', 'organization_recurring')),
  organization_id text NOT NULL REFERENCES organization (id),
  lim numeric(38, 0) NOT NULL CHECK (lim >= 0),
  period text NOT NULL CHECK (period IN ('hour', 'day', 'week', 'month'))
);
CREATE INDEX shared_limit_organization_id ON shared_limit (organization_id);
CREATE TRIGGER shared_limit_audited AFTER INSERT OR UPDATE OR DELETE ON shared_limit
  FOR EACH ROW EXECUTE FUNCTION audit_change('shared_limit', 'subject_id', 'usd:lim');

-- NOT VALID: the rows that are there need no check, which would lock the table for as long as it takes.
ALTER TABLE meter DROP CONSTRAINT meter_kind_check;
ALTER TABLE meter ADD CONSTRAINT meter_kind_check CHECK (kind IN (
  'key', 'credits', 'recurring', 'plan', 'premium', 'member', 'member_recurring', 'session', 'project_recurring',
  'organization_recurring')) NOT VALID;

-- The limits that requests of a key share with others of its project and organization.
CREATE OR REPLACE FUNCTION ledger_shared_limits(p_key text, p_organization text) RETURNS SETOF shared_limit LANGUAGE sql STABLE AS $$
  SELECT s.* FROM shared_limit s
  WHERE s.subject_id = ANY (ARRAY[p_organization, (SELECT k.project_id FROM api_key k WHERE k.id = p_key)]);
$$;

-- Adds to `m` and `x` of each request the meters it shares with others of its project and organization, as `ledger_assign` does
-- for its own. The caller holds the lock rows.
CREATE OR REPLACE FUNCTION ledger_assign_shared(p_requests jsonb, p_now timestamptz, OUT requests jsonb, OUT opened bigint[])
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  WITH window_opened AS (
    INSERT INTO meter (kind, subject_id, lim, starts_at, ends_at, lock_row_id)
    SELECT DISTINCT l.kind, l.subject_id, l.lim, p_now, recurring_end(l.period, p_now), g.id
    FROM jsonb_to_recordset(p_requests) AS r (k text, o text, a numeric)
    CROSS JOIN LATERAL ledger_shared_limits(r.k, r.o) AS l
    CROSS JOIN LATERAL (SELECT m.id FROM meter m WHERE m.kind = 'credits' AND m.subject_id = r.o LIMIT 1) AS g
    WHERE r.a > 0 AND l.period IS NOT NULL AND NOT EXISTS (
      SELECT FROM meter m WHERE m.kind = l.kind AND m.subject_id = l.subject_id AND m.ends_at >= p_now)
    RETURNING id
  )
  SELECT array_agg(id) INTO opened FROM window_opened;

  SELECT jsonb_agg(CASE WHEN i.ids IS NULL THEN e.value ELSE e.value || jsonb_build_object(
    'm', (e.value -> 'm') || i.ids,
    'x', CASE WHEN jsonb_typeof(e.value -> 'x') = 'array' THEN (e.value -> 'x') || i.ids END
  ) END ORDER BY e.n) INTO requests
  FROM jsonb_array_elements(p_requests) WITH ORDINALITY AS e (value, n)
  CROSS JOIN LATERAL (
    SELECT jsonb_agg(w.id) AS ids
    FROM ledger_shared_limits(e.value ->> 'k', e.value ->> 'o') AS l
    CROSS JOIN LATERAL (
      SELECT m.id FROM meter m
      WHERE m.kind = l.kind AND m.subject_id = l.subject_id AND (l.period IS NULL OR m.ends_at >= p_now)
      ORDER BY m.starts_at DESC LIMIT 1
    ) AS w
    WHERE l.period IS NULL OR (e.value ->> 'a')::numeric > 0
  ) AS i;
END $$;

-- Adds to each request all meters it draws on. Periods that do not exist yet are created; `opened` are those to delete again unless
-- a request is admitted to them. The caller holds the lock rows.
CREATE OR REPLACE FUNCTION ledger_assign_meters(p_requests jsonb, p_now timestamptz, OUT requests jsonb, OUT opened bigint[])
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_opened bigint[];
BEGIN
  SELECT a.requests, a.opened INTO requests, opened FROM ledger_assign(p_requests, p_now) AS a;
  IF EXISTS (SELECT FROM jsonb_to_recordset(p_requests) AS r (u text, t text) WHERE r.u IS NOT NULL OR r.t IS NOT NULL) THEN
    SELECT a.requests, a.opened INTO requests, v_opened FROM ledger_assign_identity(requests, p_now) AS a;
    opened := opened || v_opened;
  END IF;
  IF EXISTS (
    SELECT FROM jsonb_to_recordset(p_requests) AS r (o text) JOIN shared_limit s ON s.organization_id = ANY (ARRAY[r.o])
  ) THEN
    SELECT a.requests, a.opened INTO requests, v_opened FROM ledger_assign_shared(requests, p_now) AS a;
    opened := opened || v_opened;
  END IF;
END $$;

-- Gives a project or an organization a limit, replaces it or removes it (NULL); returns whether the organization exists. Usage
-- stays, of a limit that renews that of the current period.
CREATE OR REPLACE FUNCTION shared_limit_set(
  p_kind text, p_subject text, p_organization text, p_lim numeric, p_period text, p_now double precision DEFAULT NULL
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM meter WHERE kind = 'credits' AND subject_id = p_organization FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF p_lim IS NULL THEN
    DELETE FROM shared_limit WHERE subject_id = p_subject AND kind = p_kind;
  ELSE
    INSERT INTO shared_limit (subject_id, kind, organization_id, lim, period)
    VALUES (p_subject, p_kind, p_organization, p_lim, p_period)
    ON CONFLICT (subject_id, kind) DO UPDATE SET lim = p_lim, period = p_period;
  END IF;
  IF p_kind = 'project' THEN
    PERFORM project_meter_set(p_subject, p_organization, p_lim);
  ELSIF p_lim IS NOT NULL THEN
    PERFORM running_period_set(p_kind, p_subject, p_lim, p_period, p_now);
  END IF;
  -- Also where it stays as it is: the update ends the leases of the organization.
  UPDATE meter SET renews = organization_renews(p_organization) WHERE kind = 'credits' AND subject_id = p_organization;
  RETURN true;
END $$;

-- Whether requests of an organization draw on meters that renew: those of a plan, or limits that they share.
CREATE OR REPLACE FUNCTION organization_renews(p_organization text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM subscription WHERE organization_id = p_organization)
    OR EXISTS (SELECT FROM shared_limit WHERE organization_id = p_organization);
$$;
