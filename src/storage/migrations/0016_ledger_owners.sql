-- The processes that own holds, and what becomes of their holds.

-- Called by each process once a second: its heartbeat, and the progress `{request id: {c, p, row}}` of its open holds. A hold
-- that is being resolved is skipped, so this never waits for a settlement.
CREATE OR REPLACE FUNCTION ledger_beat(p_owner bigint, p_note text, p_progress jsonb) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO owner (epoch, note) OVERRIDING SYSTEM VALUE VALUES (p_owner, p_note)
  ON CONFLICT (epoch) DO UPDATE SET heartbeat_at = clock_timestamp();
  UPDATE hold SET progress = p_progress -> request_id WHERE request_id = ANY (ARRAY(
    SELECT request_id FROM hold
    WHERE request_id = ANY (ARRAY(SELECT jsonb_object_keys(p_progress))) AND owner_epoch = p_owner
    FOR UPDATE SKIP LOCKED));
END $$;

-- Locks the lock rows of these holds' meters.
CREATE OR REPLACE FUNCTION ledger_lock_holds(p_ids text[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_lock_rows bigint[];
BEGIN
  SELECT array_agg(COALESCE(m.lock_row_id, m.id)) INTO v_lock_rows
  FROM hold h CROSS JOIN unnest(h.meter_ids) AS u (id) JOIN meter m ON m.id = u.id WHERE h.request_id = ANY (p_ids);
  PERFORM 1 FROM meter WHERE id = ANY (v_lock_rows) ORDER BY id FOR NO KEY UPDATE;
END $$;

-- Releases holds of requests that were not sent: the reserve failed before its outcome arrived.
CREATE OR REPLACE FUNCTION ledger_release(p_owner bigint, p_ids text[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_meters bigint[];
BEGIN
  PERFORM ledger_lock_holds(p_ids);
  WITH released AS (
    DELETE FROM hold WHERE request_id = ANY (p_ids) AND owner_epoch = p_owner RETURNING meter_ids, amount
  ), changed AS (
    UPDATE meter m SET held = m.held - s.amount, uses = m.uses - CASE WHEN m.lock_row_id IS NULL THEN 0 ELSE s.count END
    FROM (
      SELECT u.id, sum(released.amount) AS amount, count(*) AS count
      FROM released, unnest(released.meter_ids) AS u (id) GROUP BY u.id
    ) AS s
    WHERE m.id = s.id
  )
  SELECT array_agg(u.id) INTO v_meters FROM released, unnest(released.meter_ids) AS u (id);
  DELETE FROM meter WHERE id = ANY (v_meters) AND uses = 0 AND (kind = 'premium' OR kind LIKE '%recurring');
END $$;

-- The last known progress of these holds, as in `hold.progress`: of two reports the later one, because an answer never gets
-- cheaper.
CREATE OR REPLACE FUNCTION ledger_find_progress(p_ids text[]) RETURNS TABLE (id text, progress jsonb) LANGUAGE sql STABLE
SET enable_seqscan = off AS $$
  WITH orphan AS MATERIALIZED (
    SELECT h.request_id, h.owner_epoch, h.row, h.progress FROM hold h WHERE h.request_id = ANY (p_ids) AND NOT h.lease
  ), delivered AS MATERIALIZED (
    SELECT d.key, d.value FROM owner o CROSS JOIN jsonb_each(o.delivered::jsonb) AS d (key, value)
    WHERE o.epoch IN (SELECT owner_epoch FROM orphan)
  )
  SELECT o.request_id, CASE
    WHEN d.value IS NULL OR (o.progress ->> 'c')::numeric > (d.value ->> 'c')::numeric THEN o.progress
    ELSE d.value || jsonb_build_object('row', o.row::jsonb || (d.value -> 'row'))
  END
  FROM orphan o LEFT JOIN delivered d ON d.key = o.request_id;
$$;

-- Restores the progress of open requests from a journal, unless more is known. Holds are looked up one by one, whatever the statistics
-- say of their table.
CREATE OR REPLACE FUNCTION ledger_restore_progress(p_progress jsonb) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  UPDATE hold SET progress = p_progress -> request_id WHERE request_id = ANY (ARRAY(
    SELECT request_id FROM hold
    WHERE request_id = ANY (ARRAY(SELECT jsonb_object_keys(p_progress)))
      AND (progress IS NULL OR (progress ->> 'c')::numeric <= (p_progress -> request_id ->> 'c')::numeric)
    FOR UPDATE SKIP LOCKED));
END $$;

-- Settles holds whose owner is gone as estimates from their last progress, and ends its leases: what they still held is lost.
-- Returns the number of both. An owner is gone when its heartbeat is older than `p_stale`, or when this process is the only one
-- (`p_exclusive`); the age of a hold does not matter. Holds of jobs (owner 0) stay.
CREATE OR REPLACE FUNCTION ledger_sweep(p_owner bigint, p_exclusive boolean, p_stale interval) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_settlements jsonb;
  v_ids text[];
  v_leases text[];
BEGIN
  SELECT array_agg(o.request_id) FILTER (WHERE NOT o.lease), array_agg(o.request_id) FILTER (WHERE o.lease)
  INTO v_ids, v_leases
  FROM (
    SELECT h.request_id, h.lease FROM hold h
    WHERE h.owner_epoch <> 0 AND h.owner_epoch <> p_owner AND (p_exclusive OR NOT EXISTS (
      SELECT FROM owner o WHERE o.epoch = h.owner_epoch AND o.heartbeat_at > clock_timestamp() - p_stale))
    LIMIT 500
  ) AS o;
  SELECT jsonb_agg(jsonb_build_object(
    'id', h.request_id, 'c', COALESCE(f.progress ->> 'c', '0'), 'p', COALESCE(f.progress ->> 'p', '0'), 'e', true,
    'row', COALESCE(f.progress -> 'row', h.row::jsonb)))
  INTO v_settlements
  FROM ledger_find_progress(v_ids) AS f JOIN hold h ON h.request_id = f.id;
  DELETE FROM owner o WHERE o.epoch <> p_owner AND o.heartbeat_at < clock_timestamp() - interval '1 day'
    AND NOT EXISTS (SELECT FROM hold h WHERE h.owner_epoch = o.epoch);
  IF v_ids IS NULL AND v_leases IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM ledger_lock_holds(v_ids || v_leases);
  INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider, swept)
  SELECT e.id, 'lost', '{}', 0, e.amount, true FROM ledger_end_leases(v_leases) AS e WHERE e.amount > 0;
  RETURN COALESCE(cardinality(v_leases), 0)
    + CASE WHEN v_ids IS NULL THEN 0 ELSE cardinality(ledger_resolve(v_settlements, v_ids, true)) END;
END $$;

-- Transfers a hold to a job: it is resolved when the job ends, not swept when its process does.
CREATE OR REPLACE FUNCTION ledger_move_to_job(p_owner bigint, p_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE hold SET owner_epoch = 0 WHERE request_id = p_id AND owner_epoch = p_owner;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the hold of % is gone', p_id;
  END IF;
END $$;
