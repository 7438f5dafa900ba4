-- A request looks its own meters up, and a lease its own hold, whatever PostgreSQL knows of the tables. Where statistics say that a
-- table is small, it would read and join all of it: the meters of a thousand keys for one request; or each of a thousand leases with
-- each of them, because few were there when it last looked. `id = ANY (ARRAY[x])` is `id = x` as a lookup in the index only.

-- This one joins only short lists, so that lookups in nested loops are all it needs.
ALTER FUNCTION ledger_reserve SET enable_hashjoin = off;
ALTER FUNCTION ledger_reserve SET enable_mergejoin = off;

-- All that a process reports of its leases: requests that are still open, bills of requests with a hold of their own and of
-- requests without, their log rows, and the leases; `p_premium` are the leases of premium requests. Returns `[{id, a: amount}]` of
-- the leases that exist now, with two more members for a lease with periods: `m`, its meters, and `r`, the milliseconds until the
-- first of its periods ends. Without `p_premium` no lease with periods is opened: the process does not end leases with their
-- periods. Fails as a whole where a bill is without its hold or lease, or was written before.
CREATE OR REPLACE FUNCTION ledger_report(
  p_owner bigint, p_keys text[], p_organizations text[], p_opened ledger_opened[], p_bills ledger_bill[],
  p_leased ledger_leased_bill[], p_rows request_log[], p_leases ledger_lease[], p_premium text[] DEFAULT NULL,
  p_now double precision DEFAULT NULL
) RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_now timestamptz;
  v_empty text[];
BEGIN
  PERFORM 1 FROM meter
  WHERE (kind = 'key' AND subject_id = ANY (p_keys)) OR (kind = 'credits' AND subject_id = ANY (p_organizations))
  ORDER BY id FOR NO KEY UPDATE;
  v_now := ledger_now(p_now); -- under the locks, as `ledger_reserve` reads it
  IF EXISTS (SELECT FROM unnest(p_leases) AS l WHERE l.want > 0 AND l.keep = 0) THEN
    PERFORM ledger_open_leases(p_owner, p_leases, p_premium, v_now);
  END IF;
  PERFORM ledger_change_leases(p_owner, p_opened, p_leased, p_leases);
  IF p_bills IS NOT NULL AND cardinality(ledger_close(p_bills, false)) <> cardinality(p_bills) THEN
    RAISE EXCEPTION 'a settlement is without its hold';
  END IF;
  IF p_rows IS NOT NULL THEN
    PERFORM request_log_append(p_rows);
  END IF;
  IF EXISTS (SELECT FROM unnest(p_leases) AS l WHERE l.want > 0) THEN
    PERFORM ledger_enlarge_leases(p_owner, p_leases, v_now);
  END IF;
  v_empty := ARRAY(
    SELECT h.request_id FROM unnest(p_leases) AS l
    JOIN hold h ON h.request_id = ANY (ARRAY[l.id]) AND h.lease AND h.owner_epoch = p_owner AND h.amount = 0);
  IF cardinality(v_empty) > 0 THEN
    PERFORM ledger_end_leases(v_empty);
  END IF;
  RETURN (
    SELECT COALESCE(jsonb_agg(jsonb_build_object('id', h.request_id, 'a', h.amount::text) || CASE
      WHEN w.ends_at IS NULL THEN '{}'
      ELSE jsonb_build_object('m', h.meter_ids, 'r', floor(extract(epoch FROM w.ends_at - v_now) * 1000))
    END), '[]')
    FROM unnest(p_leases) AS l JOIN hold h ON h.request_id = ANY (ARRAY[l.id]) AND h.lease AND h.owner_epoch = p_owner
    CROSS JOIN LATERAL (
      SELECT min(m.ends_at) AS ends_at FROM meter m WHERE cardinality(h.meter_ids) > 2 AND m.id = ANY (h.meter_ids)
    ) AS w);
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
    WHERE NOT EXISTS (SELECT FROM ledger_entry e WHERE e.request_id = o.id)
    ON CONFLICT DO NOTHING
    RETURNING meter_ids, amount AS held
  ), bill AS MATERIALIZED (
    SELECT b.*, h.meter_ids
    FROM unnest(p_leased) AS b JOIN hold h ON h.request_id = ANY (ARRAY[b.lease]) AND h.lease AND h.owner_epoch = p_owner
    WHERE NOT EXISTS (SELECT FROM ledger_entry e WHERE e.request_id = b.id)
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

-- Adds what is wanted to leases, at most a fair share of what is free: a quarter, divided by the living processes and by the leases
-- that ask together. Less than `least` is not worth a lease, and a lease of which a period has ended gets nothing. The caller holds
-- the lock rows.
CREATE OR REPLACE FUNCTION ledger_enlarge_leases(p_owner bigint, p_leases ledger_lease[], p_now timestamptz) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  WITH wanting AS MATERIALIZED (
    SELECT l.id, l.want, l.least, h.meter_ids
    FROM unnest(p_leases) AS l JOIN hold h ON h.request_id = ANY (ARRAY[l.id]) AND h.lease AND h.owner_epoch = p_owner
    WHERE l.want > 0 AND (cardinality(h.meter_ids) = 2
      OR NOT EXISTS (SELECT FROM meter m WHERE m.id = ANY (h.meter_ids) AND m.ends_at <= p_now))
  ), asked AS (
    SELECT w.*, u.id AS meter_id, count(*) OVER (PARTITION BY u.id) * 4 * GREATEST(1, (
      SELECT count(*) FROM owner WHERE heartbeat_at > clock_timestamp() - interval '30 seconds')) AS parts
    FROM wanting w, unnest(w.meter_ids) AS u (id)
  ), granted AS MATERIALIZED (
    SELECT a.id, a.meter_ids, LEAST(a.want, min(floor((m.lim - m.used - m.held) / a.parts))) AS amount
    FROM asked a JOIN meter m ON m.id = ANY (ARRAY[a.meter_id])
    GROUP BY a.id, a.meter_ids, a.want, a.least
    HAVING LEAST(a.want, min(floor((m.lim - m.used - m.held) / a.parts))) >= GREATEST(a.least, 1)
  ), held AS (
    UPDATE meter m SET held = m.held + s.amount
    FROM (SELECT u.id, sum(g.amount) AS amount FROM granted g, unnest(g.meter_ids) AS u (id) GROUP BY u.id) AS s
    WHERE m.id = ANY (ARRAY[s.id])
  )
  UPDATE hold h SET amount = h.amount + g.amount FROM granted g WHERE h.request_id = ANY (ARRAY[g.id]);
END $$;

-- Deletes the holds that still exist, changes their meters and writes their entries; returns the ids it resolved. The caller holds
-- the lock rows.
CREATE OR REPLACE FUNCTION ledger_close(p_bills ledger_bill[], p_swept boolean) RETURNS text[]
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_resolved text[];
  v_unused bigint[];
BEGIN
  WITH bill AS MATERIALIZED (
    SELECT DISTINCT ON (b.id) b.* FROM unnest(p_bills) AS b
  ), settled AS (
    DELETE FROM hold h USING bill b WHERE h.request_id = ANY (ARRAY[b.id])
    RETURNING b.id, h.meter_ids, h.amount, b.c, b.p, b.e,
      CASE WHEN cardinality(h.meter_ids) > 2 AND (b.c = 0 OR b.n OR b.s)
        THEN ledger_unused(h.meter_ids, b.c = 0, COALESCE(b.n, false) OR COALESCE(b.s, false)) END AS unused
  ), changed AS (
    UPDATE meter m SET held = m.held - s.amount, used = m.used + s.customer, uses = m.uses - s.unused
    FROM (
      SELECT u.id, sum(settled.amount) AS amount, count(*) FILTER (WHERE u.id = ANY (settled.unused)) AS unused,
        COALESCE(sum(settled.c) FILTER (WHERE settled.unused IS NULL OR u.id <> ALL (settled.unused)), 0) AS customer
      FROM settled, unnest(settled.meter_ids) AS u (id) GROUP BY u.id
    ) AS s
    WHERE m.id = ANY (ARRAY[s.id])
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
