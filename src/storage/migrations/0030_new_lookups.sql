-- Whether an id is new is looked up by the index, also where PostgreSQL believes that nothing is held: as a join, `NOT EXISTS` read all
-- leases for each of a thousand. A subquery is never a join.

-- Creates the leases that are new, with nothing in them. Each is a use of its periods. A lease whose rest was booked as lost is not
-- opened again: its id could not be booked twice.
CREATE OR REPLACE FUNCTION ledger_open_leases(
  p_owner bigint, p_leases ledger_lease[], p_premium text[], p_now timestamptz
) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_new ledger_lease[] := ARRAY(
    SELECT l FROM unnest(p_leases) AS l
    WHERE l.want > 0 AND l.keep = 0 AND (SELECT h.request_id FROM hold h WHERE h.request_id = l.id) IS NULL
      AND (SELECT e.kind FROM ledger_entry e WHERE e.request_id = l.id LIMIT 1) IS NULL);
BEGIN
  WITH opened AS (
    INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row, lease)
    SELECT a.id, p_owner, a.meter_ids, 0, '', true FROM ledger_lease_meters(v_new, p_premium, p_now) AS a
    WHERE p_premium IS NOT NULL
      OR NOT EXISTS (SELECT FROM meter m WHERE m.id = ANY (a.meter_ids) AND m.ends_at IS NOT NULL)
    RETURNING meter_ids
  )
  UPDATE meter m SET uses = m.uses + s.count
  FROM (SELECT u.id, count(*) AS count FROM opened o, unnest(o.meter_ids) AS u (id) GROUP BY u.id) AS s
  WHERE m.id = ANY (ARRAY[s.id]) AND m.ends_at IS NOT NULL;
END $$;

-- Gives open requests holds of their own, charges those that ended, and leaves each lease what it is to keep. A request that leaves
-- its lease for a hold, or is charged on it, is a use of its meters. A request that has ended gets no hold, and one that was closed
-- with an estimate is not charged beside it. The caller holds the lock rows.
CREATE OR REPLACE FUNCTION ledger_change_leases(
  p_owner bigint, p_opened ledger_opened[], p_leased ledger_leased_bill[], p_leases ledger_lease[]
) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_entered bigint;
BEGIN
  WITH kept AS (
    UPDATE hold h SET amount = LEAST(l.keep, h.amount), created_at = clock_timestamp()
    FROM unnest(p_leases) AS l JOIN hold old ON old.request_id = ANY (ARRAY[l.id])
    WHERE h.request_id = ANY (ARRAY[l.id]) AND h.lease AND h.owner_epoch = p_owner
    RETURNING h.meter_ids, h.amount - old.amount AS held
  ), opened AS (
    INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row)
    SELECT o.id, p_owner, h.meter_ids, o.a, o."row"
    FROM unnest(p_opened) AS o JOIN hold h ON h.request_id = ANY (ARRAY[o.lease]) AND h.lease AND h.owner_epoch = p_owner
    WHERE (SELECT e.kind FROM ledger_entry e WHERE e.request_id = o.id LIMIT 1) IS NULL
    ON CONFLICT DO NOTHING
    RETURNING meter_ids, amount AS held
  ), bill AS MATERIALIZED (
    SELECT b.*, h.meter_ids
    FROM unnest(p_leased) AS b JOIN hold h ON h.request_id = ANY (ARRAY[b.lease]) AND h.lease AND h.owner_epoch = p_owner
    WHERE (SELECT e.kind FROM ledger_entry e WHERE e.request_id = b.id LIMIT 1) IS NULL
  ), entered AS (
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
    SELECT id, CASE WHEN e THEN 'estimate' ELSE 'usage' END, meter_ids, c, p FROM bill
    RETURNING meter_ids, customer
  ), changed AS (
    UPDATE meter m SET held = m.held + s.held, used = m.used + s.customer,
      uses = m.uses + CASE WHEN m.lock_row_id IS NULL THEN 0 ELSE s.uses END
    FROM (
      SELECT u.id, sum(x.held) AS held, sum(x.customer) AS customer, sum(x.uses) AS uses
      FROM (
        SELECT meter_ids, held, 0 AS customer, 0 AS uses FROM kept WHERE held <> 0
        UNION ALL SELECT meter_ids, held, 0, 1 FROM opened
        UNION ALL SELECT meter_ids, 0, customer, 1 FROM entered
      ) AS x, unnest(x.meter_ids) AS u (id) GROUP BY u.id
    ) AS s
    WHERE m.id = ANY (ARRAY[s.id])
  )
  SELECT count(*) INTO v_entered FROM entered;
  IF v_entered <> COALESCE(cardinality(p_leased), 0) THEN
    RAISE EXCEPTION 'a settlement is without its lease';
  END IF;
END $$;
