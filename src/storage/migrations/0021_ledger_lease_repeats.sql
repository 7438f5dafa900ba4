-- A report whose answer was lost is repeated, perhaps after its process was thought gone: what has an entry by then is not opened,
-- leased or charged again.

-- As before, but a lease whose rest was booked as lost is not opened again: its id could not be booked twice.
CREATE OR REPLACE FUNCTION ledger_open_leases(p_owner bigint, p_leases ledger_lease[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row, lease)
  SELECT l.id, p_owner, array_remove(ARRAY[k.id, c.id, u.id, t.id], NULL), 0, '', true
  FROM unnest(p_leases) AS l
  JOIN meter k ON k.kind = 'key' AND k.subject_id = l.k AND NOT k.renews
  JOIN meter c ON c.kind = 'credits' AND c.subject_id = l.o AND NOT c.renews
  LEFT JOIN meter u ON u.kind = 'member' AND u.subject_id = l.u AND u.lock_row_id = c.id
  LEFT JOIN member b ON b.id = u.subject_id
  LEFT JOIN meter t ON t.kind = 'session' AND t.subject_id = l.t AND t.lock_row_id = k.id
  WHERE l.want > 0 AND l.keep = 0 AND NOT EXISTS (SELECT FROM hold h WHERE h.request_id = l.id)
    AND NOT EXISTS (SELECT FROM ledger_entry e WHERE e.request_id = l.id)
    AND (l.u IS NULL OR (u.id IS NOT NULL AND b.recurring_lim IS NULL)) AND (l.t IS NULL OR t.id IS NOT NULL);
END $$;

-- As before, but a request that has ended gets no hold, and one that was closed with an estimate is not charged beside it.
CREATE OR REPLACE FUNCTION ledger_change_leases(
  p_owner bigint, p_opened ledger_opened[], p_leased ledger_leased_bill[], p_leases ledger_lease[]
) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_entered bigint;
BEGIN
  WITH kept AS (
    UPDATE hold h SET amount = LEAST(l.keep, h.amount), created_at = clock_timestamp()
    FROM unnest(p_leases) AS l JOIN hold old ON old.request_id = l.id
    WHERE h.request_id = l.id AND h.lease AND h.owner_epoch = p_owner
    RETURNING h.meter_ids, h.amount - old.amount AS held
  ), opened AS (
    INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row)
    SELECT o.id, p_owner, h.meter_ids, o.a, o."row"
    FROM unnest(p_opened) AS o JOIN hold h ON h.request_id = o.lease AND h.lease AND h.owner_epoch = p_owner
    WHERE NOT EXISTS (SELECT FROM ledger_entry e WHERE e.request_id = o.id)
    ON CONFLICT DO NOTHING
    RETURNING meter_ids, amount AS held
  ), bill AS MATERIALIZED (
    SELECT b.*, h.meter_ids
    FROM unnest(p_leased) AS b JOIN hold h ON h.request_id = b.lease AND h.lease AND h.owner_epoch = p_owner
    WHERE NOT EXISTS (SELECT FROM ledger_entry e WHERE e.request_id = b.id)
  ), entered AS (
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
    SELECT id, CASE WHEN e THEN 'estimate' ELSE 'usage' END, meter_ids, c, p FROM bill
    RETURNING meter_ids, customer
  ), changed AS (
    UPDATE meter m SET held = m.held + s.held, used = m.used + s.customer
    FROM (
      SELECT u.id, sum(x.held) AS held, sum(x.customer) AS customer
      FROM (
        SELECT meter_ids, held, 0 AS customer FROM kept WHERE held <> 0
        UNION ALL SELECT meter_ids, held, 0 FROM opened
        UNION ALL SELECT meter_ids, 0, customer FROM entered
      ) AS x, unnest(x.meter_ids) AS u (id) GROUP BY u.id
    ) AS s
    WHERE m.id = s.id
  )
  SELECT count(*) INTO v_entered FROM entered;
  IF v_entered <> COALESCE(cardinality(p_leased), 0) THEN
    RAISE EXCEPTION 'a settlement is without its lease';
  END IF;
END $$;
