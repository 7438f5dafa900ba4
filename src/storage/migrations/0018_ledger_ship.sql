-- Settlements of many requests at once, as PostgreSQL's own text: half the cost of JSON.

-- What a request costs: its id, customer and provider cost, whether it is estimated, whether no provider was reached, whether no
-- premium model answered.
CREATE TYPE ledger_bill AS (id text, c numeric, p numeric, e boolean, n boolean, s boolean);

-- Deletes the holds that still exist, changes their meters and writes their entries; returns the ids it resolved. The caller holds
-- the lock rows.
CREATE FUNCTION ledger_close(p_bills ledger_bill[], p_swept boolean) RETURNS text[]
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_resolved text[];
  v_unused bigint[];
BEGIN
  WITH bill AS MATERIALIZED (
    SELECT DISTINCT ON (b.id) b.* FROM unnest(p_bills) AS b
  ), closed AS (
    DELETE FROM hold WHERE request_id = ANY (ARRAY(SELECT id FROM bill)) RETURNING request_id, meter_ids, amount
  ), settled AS MATERIALIZED (
    SELECT b.id, closed.meter_ids, closed.amount, b.c, b.p, b.e,
      CASE WHEN cardinality(closed.meter_ids) > 2 AND (b.c = 0 OR b.n OR b.s)
        THEN ledger_unused(closed.meter_ids, b.c = 0, COALESCE(b.n, false) OR COALESCE(b.s, false)) END AS unused
    FROM closed JOIN bill b ON b.id = closed.request_id
  ), changed AS (
    UPDATE meter m SET held = m.held - s.amount, used = m.used + s.customer, uses = m.uses - s.unused
    FROM (
      SELECT u.id, sum(settled.amount) AS amount, count(*) FILTER (WHERE u.id = ANY (settled.unused)) AS unused,
        COALESCE(sum(settled.c) FILTER (WHERE settled.unused IS NULL OR u.id <> ALL (settled.unused)), 0) AS customer
      FROM settled, unnest(settled.meter_ids) AS u (id) GROUP BY u.id
    ) AS s
    WHERE m.id = s.id
  ), entered AS (
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider, swept, skipped_meter_ids)
    SELECT id, CASE WHEN e THEN 'estimate' ELSE 'usage' END,
      CASE WHEN unused IS NULL THEN meter_ids
        ELSE ARRAY(SELECT u.id FROM unnest(meter_ids) AS u (id) WHERE u.id <> ALL (unused)) END,
      c, p, p_swept, CASE WHEN p_swept THEN unused END
    FROM settled
  )
  SELECT COALESCE(array_agg(id), '{}'), (SELECT array_agg(u.id) FROM settled s, unnest(s.unused) AS u (id))
  INTO v_resolved, v_unused FROM settled;

  IF v_unused IS NOT NULL THEN
    DELETE FROM meter WHERE id = ANY (v_unused) AND uses = 0;
  END IF;
  RETURN v_resolved;
END $$;

-- As before, by way of `ledger_close`.
CREATE OR REPLACE FUNCTION ledger_resolve(p_settlements jsonb, p_ids text[], p_swept boolean) RETURNS text[]
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_resolved text[] := ledger_close(
    ARRAY(SELECT jsonb_populate_record(NULL::ledger_bill, e.value - 'row') FROM jsonb_array_elements(p_settlements) AS e (value)),
    p_swept);
BEGIN
  PERFORM request_log_store(
    (SELECT jsonb_agg(ledger_row(e.value)) FROM jsonb_array_elements(p_settlements) AS e (value)
      WHERE e.value ->> 'id' = ANY (v_resolved)));
  RETURN v_resolved;
END $$;

-- `ledger_step` for settlements whose holds all exist and whose rows can all be stored; else it fails as a whole, and the caller
-- sends the same to `ledger_step`. `p_keys` and `p_organizations` are those of settlements and requests.
CREATE FUNCTION ledger_ship(
  p_owner bigint, p_keys text[], p_organizations text[], p_bills ledger_bill[], p_rows request_log[], p_requests jsonb,
  p_now double precision DEFAULT NULL
) RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM 1 FROM meter
  WHERE (kind = 'key' AND subject_id = ANY (p_keys)) OR (kind = 'credits' AND subject_id = ANY (p_organizations))
  ORDER BY id FOR NO KEY UPDATE;
  IF cardinality(ledger_close(p_bills, false)) <> cardinality(p_bills) THEN
    RAISE EXCEPTION 'a settlement is without its hold';
  END IF;
  INSERT INTO request_log SELECT * FROM unnest(p_rows);
  -- A statement of its own: it must read after this transaction has written (see usage_close).
  INSERT INTO usage_late
  SELECT DISTINCT usage_hour_of(r.started_at) FROM unnest(p_rows) AS r, log_state s WHERE s.id AND r.started_at < s.closed_through;
  RETURN CASE WHEN p_requests IS NULL THEN '[]' ELSE ledger_reserve(p_owner, p_requests, p_now) END;
END $$;
