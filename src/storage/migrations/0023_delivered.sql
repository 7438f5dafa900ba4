-- What open answers have cost so far, for the process that closes them: in the row of their own process, one update for all of
-- them. Versions before wrote it to `hold.progress`, which replays of a journal still do.

-- `{request id: {c: customer, p: provider, row: the members of the log row that have changed since the hold}}`.
ALTER TABLE owner ADD COLUMN delivered text;
-- It is written up to ten times a second: compressing it would cost more than its bytes do.
ALTER TABLE owner ALTER COLUMN delivered SET STORAGE EXTERNAL;

-- The last known progress of these holds, as in `hold.progress`: of two reports the later one, because an answer never gets
-- cheaper.
CREATE FUNCTION ledger_find_progress(p_ids text[]) RETURNS TABLE (id text, progress jsonb) LANGUAGE sql STABLE
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
