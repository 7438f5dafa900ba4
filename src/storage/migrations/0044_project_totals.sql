-- What all keys of a project may ever spend together: a shared limit without a period.
ALTER TABLE shared_limit
  DROP CONSTRAINT shared_limit_pkey,
  ADD PRIMARY KEY (subject_id, kind),
  DROP CONSTRAINT shared_limit_kind_check,
  ADD CONSTRAINT shared_limit_kind_check CHECK (kind IN ('project', 'project_recurring', 'organization_recurring')),
  ALTER COLUMN period DROP NOT NULL,
  ADD CONSTRAINT shared_limit_total_check CHECK ((kind = 'project') = (period IS NULL));

-- Of `project`: the part of `used` that no entry names, because the project had no limit then.
ALTER TABLE meter ADD COLUMN used_before numeric(38, 0) NOT NULL DEFAULT 0;
-- NOT VALID: the rows that are there need no check, which would lock the table for as long as it takes.
ALTER TABLE meter
  DROP CONSTRAINT meter_kind_check,
  ADD CONSTRAINT meter_kind_check CHECK (kind IN (
    'key', 'credits', 'recurring', 'plan', 'premium', 'member', 'member_recurring', 'session', 'project', 'project_recurring',
    'organization_recurring')) NOT VALID,
  DROP CONSTRAINT meter_period_check,
  ADD CONSTRAINT meter_period_check CHECK (
    (kind IN ('key', 'credits', 'member', 'session', 'project')) = (starts_at IS NULL)
    AND (starts_at IS NULL) = (ends_at IS NULL)) NOT VALID;

-- What all keys of a project ever used, deleted ones included.
CREATE OR REPLACE FUNCTION project_used(p_project text) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT COALESCE(sum(m.used), 0) FROM api_key k JOIN meter m ON m.kind = 'key' AND m.subject_id = k.id
  WHERE k.project_id = p_project;
$$;

-- Gives the meter of a project its limit, or none (NULL). While there is one, the meter has all that the keys of the project
-- ever used and hold. Without one, requests do not draw on it; so what they used meanwhile is added with the next limit, and
-- open holds and leases join it. The caller holds the lock row, without which none of that changes.
CREATE OR REPLACE FUNCTION project_meter_set(p_project text, p_organization text, p_lim numeric) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_meter meter;
  v_held numeric;
BEGIN
  IF p_lim IS NOT NULL THEN
    INSERT INTO meter (kind, subject_id, lock_row_id)
    SELECT 'project', p_project, m.id FROM meter m WHERE m.kind = 'credits' AND m.subject_id = p_organization
    ON CONFLICT DO NOTHING;
  END IF;
  SELECT * INTO v_meter FROM meter WHERE kind = 'project' AND subject_id = p_project;
  IF p_lim IS NOT NULL AND v_meter.lim IS NULL THEN
    WITH joined AS (
      UPDATE hold h SET meter_ids = h.meter_ids || v_meter.id
      WHERE v_meter.id <> ALL (h.meter_ids) AND EXISTS (
        SELECT FROM meter m JOIN api_key k ON k.id = m.subject_id
        WHERE m.id = ANY (h.meter_ids) AND m.kind = 'key' AND k.project_id = p_project)
      RETURNING h.amount
    )
    SELECT COALESCE(sum(amount), 0) INTO v_held FROM joined;
    UPDATE meter m SET held = m.held + v_held, used = k.used, used_before = k.used - (m.used - m.used_before)
    FROM project_used(p_project) AS k (used) WHERE m.id = v_meter.id;
  END IF;
  UPDATE meter SET lim = p_lim WHERE id = v_meter.id;
END $$;

-- Meters with that of the project of a key, if it has a limit: it counts all that is charged to the key, also where a request
-- was admitted before there was a limit.
CREATE OR REPLACE FUNCTION ledger_with_project(p_meters bigint[], p_key text) RETURNS bigint[] LANGUAGE sql STABLE AS $$
  SELECT p_meters || ARRAY(
    SELECT m.id FROM api_key k JOIN meter m ON m.kind = 'project' AND m.subject_id = k.project_id
    WHERE k.id = p_key AND m.lim IS NOT NULL AND m.id <> ALL (p_meters));
$$;
