-- Leases: money that a process holds for the next requests of a subject (a key with its organization, member and session token),
-- so that it can admit them without the database. A lease is a hold without a request: what is open or unused of it is its
-- amount. The process reports all requests of a moment together, and with them the amounts its leases need from now on.
--
-- The lease of a subject whose limits renew draws on the periods of the moment it was taken in and ends with the first of them. A
-- period begins with the request that opened it, so a lease only joins one that a request has been charged to. What a lease
-- admitted is charged to its periods, whenever it ends, as with a hold.
--
-- A report whose answer was lost is repeated, perhaps after its process was thought gone: what has an entry by then is not opened,
-- leased or charged again.

-- A lease: its subject, the amount its open requests and its free rest need, and how much more is wanted, at least `least`.
CREATE TYPE ledger_lease AS (id text, k text, o text, u text, t text, keep numeric, want numeric, least numeric);
-- A request that was admitted on a lease and gets a hold of its own, because it takes longer.
CREATE TYPE ledger_opened AS (id text, lease text, a numeric, "row" text);
-- What a request cost that ended on its lease.
CREATE TYPE ledger_leased_bill AS (id text, lease text, c numeric, p numeric, e boolean);

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

-- The meters that requests draw on at a moment, as `ledger_assign_meters` finds them, for each lease;
-- `p_premium` are the leases of premium requests. No row where a period has not begun: its first requests take holds of their
-- own. Where credits pay instead of an exhausted plan there is no lease, because the plan has nothing left for one.
CREATE OR REPLACE FUNCTION ledger_lease_meters(p_leases ledger_lease[], p_premium text[], p_now timestamptz)
RETURNS TABLE (id text, meter_ids bigint[]) LANGUAGE sql STABLE AS $$
  SELECT l.id, array_remove(ARRAY[k.id, r.id, COALESCE(p.id, c.id), w.id, u.id, v.id, t.id] || z.ids, NULL)
  FROM unnest(p_leases) AS l
  CROSS JOIN LATERAL (
    SELECT m.id, m.renews FROM meter m WHERE m.kind = 'key' AND m.subject_id = l.k LIMIT 1
  ) AS k
  CROSS JOIN LATERAL (
    SELECT m.id, m.renews FROM meter m WHERE m.kind = 'credits' AND m.subject_id = l.o LIMIT 1
  ) AS c
  LEFT JOIN recurring_limit q ON k.renews AND q.key_id = l.k
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m WHERE m.kind = 'recurring' AND m.subject_id = q.key_id AND m.ends_at > p_now AND m.used > 0
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS r ON true
  LEFT JOIN subscription s ON c.renews AND s.organization_id = l.o
  LEFT JOIN LATERAL plan_cycle(s.started_at, p_now) AS y ON s.organization_id IS NOT NULL
  LEFT JOIN meter p ON p.kind = 'plan' AND p.subject_id = s.organization_id AND p.starts_at = y.starts_at
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m
    WHERE l.id = ANY (p_premium) AND m.kind = 'premium' AND m.subject_id = s.organization_id AND m.ends_at > p_now AND m.used > 0
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS w ON true
  LEFT JOIN meter u ON u.kind = 'member' AND u.subject_id = l.u AND u.lock_row_id = c.id
  LEFT JOIN member b ON b.id = u.subject_id AND b.recurring_lim IS NOT NULL
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m WHERE m.kind = 'member_recurring' AND m.subject_id = b.id AND m.ends_at > p_now AND m.used > 0
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS v ON true
  LEFT JOIN meter t ON t.kind = 'session' AND t.subject_id = l.t AND t.lock_row_id = k.id
  CROSS JOIN LATERAL (
    SELECT array_agg(m.id) AS ids, count(*) > count(m.id) AS is_missing
    FROM ledger_shared_limits(l.k, l.o) AS s
    LEFT JOIN LATERAL (
      SELECT m.id FROM meter m
      WHERE m.kind = s.kind AND m.subject_id = s.subject_id AND (s.period IS NULL OR (m.ends_at > p_now AND m.used > 0))
      ORDER BY m.starts_at DESC LIMIT 1
    ) AS m ON true
    WHERE c.renews
  ) AS z
  WHERE NOT z.is_missing AND (q.key_id IS NULL OR r.id IS NOT NULL) AND (s.organization_id IS NULL OR p.id IS NOT NULL)
    AND (s.organization_id IS NULL OR l.id = ANY (p_premium) IS NOT TRUE OR w.id IS NOT NULL)
    AND (l.u IS NULL OR u.id IS NOT NULL) AND (b.id IS NULL OR v.id IS NOT NULL) AND (l.t IS NULL OR t.id IS NOT NULL);
$$;

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

-- Deletes leases and returns their amounts; they are no longer uses of their periods. The caller holds the lock rows.
CREATE OR REPLACE FUNCTION ledger_end_leases(p_ids text[]) RETURNS TABLE (id text, amount numeric) LANGUAGE sql
SET enable_seqscan = off AS $$
  WITH ended AS (
    DELETE FROM hold WHERE request_id = ANY (p_ids) AND lease RETURNING request_id, meter_ids, amount
  ), changed AS (
    UPDATE meter m SET held = m.held - s.amount, uses = m.uses - CASE WHEN m.ends_at IS NULL THEN 0 ELSE s.count END
    FROM (
      SELECT u.id, sum(e.amount) AS amount, count(*) AS count FROM ended e, unnest(e.meter_ids) AS u (id) GROUP BY u.id
    ) AS s
    WHERE m.id = s.id
  )
  SELECT request_id, amount FROM ended;
$$;

-- Ends the leases of processes whose journals have been written here as a whole: nothing of them is lost.
CREATE OR REPLACE FUNCTION ledger_return_leases(p_owners bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[] := ARRAY(SELECT request_id FROM hold WHERE lease AND owner_epoch = ANY (p_owners));
BEGIN
  PERFORM ledger_lock_holds(v_ids);
  PERFORM ledger_end_leases(v_ids);
  INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
  SELECT l.request_id, 'found', '{}', 0, -l.rest FROM ledger_lost_leases() AS l
  WHERE split_part(l.request_id, '_', 2) = ANY (p_owners::text[]) AND l.rest > 0
  ON CONFLICT DO NOTHING;
END $$;

-- The leases that were booked as lost, and what of them was not found since.
CREATE OR REPLACE FUNCTION ledger_lost_leases() RETURNS TABLE (request_id text, rest numeric) LANGUAGE sql STABLE AS $$
  SELECT split_part(e.request_id, '/', 1), sum(e.provider) FROM ledger_entry e WHERE e.kind IN ('lost', 'found') GROUP BY 1;
$$;

-- Takes out of leases what requests cost that were admitted on them, so that only the rest is lost if their process is gone; returns
-- what each took, `{request: amount}`. Where the lease has been booked as lost already, that much is found, once for each request. The
-- caller holds the lock rows.
CREATE OR REPLACE FUNCTION ledger_pay_from_leases(p_ids text[], p_amounts numeric[], p_requests text[]) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_paid jsonb;
BEGIN
  WITH cost AS MATERIALIZED (
    SELECT c.id, c.request, c.amount, sum(c.amount) OVER (PARTITION BY c.id ORDER BY c.n) - c.amount AS earlier
    FROM unnest(p_ids, p_amounts, p_requests) WITH ORDINALITY AS c (id, amount, request, n)
  ), reduced AS (
    UPDATE hold h SET amount = h.amount - LEAST(h.amount, a.amount)
    FROM (SELECT id, sum(amount) AS amount FROM cost GROUP BY id) AS a, hold old
    WHERE h.request_id = a.id AND h.lease AND old.request_id = a.id
    RETURNING h.request_id, h.meter_ids, old.amount - h.amount AS amount
  ), changed AS (
    UPDATE meter m SET held = m.held - s.amount
    FROM (SELECT u.id, sum(r.amount) AS amount FROM reduced r, unnest(r.meter_ids) AS u (id) GROUP BY u.id) AS s
    WHERE m.id = s.id
  ), found AS (
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
    SELECT c.id || '/' || c.request, 'found', '{}', 0, -LEAST(c.amount, l.rest - c.earlier)
    FROM cost c JOIN ledger_lost_leases() AS l ON l.request_id = c.id AND l.rest > c.earlier
    WHERE c.amount > 0
    ON CONFLICT DO NOTHING
  )
  SELECT jsonb_object_agg(c.request, LEAST(c.amount, r.amount - c.earlier)) INTO v_paid
  FROM cost c JOIN reduced r ON r.request_id = c.id AND r.amount > c.earlier;
  RETURN COALESCE(v_paid, '{}');
END $$;

-- The same before its settlements, as processes of the version before do it, with what the requests held.
CREATE OR REPLACE FUNCTION ledger_account_leases(p_ids text[], p_amounts numeric[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_lock_holds(p_ids);
  PERFORM ledger_pay_from_leases(p_ids, p_amounts, ARRAY(SELECT 'r' || n FROM generate_series(1, cardinality(p_ids)) AS n));
END $$;

-- Whether another process has reported nothing of a lease of this key or organization since a moment. Under a plan a lease draws on
-- that in place of the credits.
CREATE OR REPLACE FUNCTION ledger_is_behind(p_owner bigint, p_key text, p_organization text, p_since timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM hold h WHERE h.lease AND h.owner_epoch <> p_owner AND h.created_at < p_since AND h.meter_ids && ARRAY(
      SELECT id FROM meter
      WHERE (kind = 'key' AND subject_id = p_key) OR (kind IN ('credits', 'plan') AND subject_id = p_organization)));
$$;
