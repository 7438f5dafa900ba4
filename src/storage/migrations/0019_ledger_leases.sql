-- Leases: money that a process holds for the next requests of a subject (a key with its organization, member and session token),
-- so that it can admit them without the database. A lease is a hold without a request: what is open or unused of it is its
-- amount. The process reports all requests of a moment together, and with them the amounts its leases need from now on.
ALTER TABLE hold ADD COLUMN lease boolean NOT NULL DEFAULT false;

-- What a gone process held of a lease and nobody can account for is `lost`, at the operator's cost; `found` takes it back where
-- the journal of that process turns up.
ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_kind_check, ADD CONSTRAINT ledger_entry_kind_check
  CHECK (kind IN ('usage', 'estimate', 'adjust', 'grant', 'refund', 'lost', 'found'));
-- Without it the plan of a function without sequential scans would seem so costly that PostgreSQL compiles it.
CREATE INDEX owner_heartbeat ON owner (heartbeat_at);
CREATE INDEX ledger_entry_lost ON ledger_entry (request_id) WHERE kind IN ('lost', 'found');

-- A lease: its subject, the amount its open requests and its free rest need, and how much more is wanted, at least `least`.
CREATE TYPE ledger_lease AS (id text, k text, o text, u text, t text, keep numeric, want numeric, least numeric);
-- A request that was admitted on a lease and gets a hold of its own, because it takes longer.
CREATE TYPE ledger_opened AS (id text, lease text, a numeric, "row" text);
-- What a request cost that ended on its lease.
CREATE TYPE ledger_leased_bill AS (id text, lease text, c numeric, p numeric, e boolean);

-- All that a process reports of its leases: requests that are still open, bills of requests with a hold of their own and of
-- requests without, their log rows, and the leases. Returns `[{id, a: amount}]` of the leases that exist now. Fails as a whole
-- where a bill is without its hold or lease, or was written before.
CREATE FUNCTION ledger_report(
  p_owner bigint, p_keys text[], p_organizations text[], p_opened ledger_opened[], p_bills ledger_bill[],
  p_leased ledger_leased_bill[], p_rows request_log[], p_leases ledger_lease[]
) RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM 1 FROM meter
  WHERE (kind = 'key' AND subject_id = ANY (p_keys)) OR (kind = 'credits' AND subject_id = ANY (p_organizations))
  ORDER BY id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM unnest(p_leases) AS l WHERE l.want > 0 AND l.keep = 0) THEN
    PERFORM ledger_open_leases(p_owner, p_leases);
  END IF;
  PERFORM ledger_change_leases(p_owner, p_opened, p_leased, p_leases);
  IF p_bills IS NOT NULL AND cardinality(ledger_close(p_bills, false)) <> cardinality(p_bills) THEN
    RAISE EXCEPTION 'a settlement is without its hold';
  END IF;
  IF p_rows IS NOT NULL THEN
    INSERT INTO request_log SELECT * FROM unnest(p_rows);
    -- A statement of its own: it must read after this transaction has written (see usage_close).
    INSERT INTO usage_late
    SELECT DISTINCT usage_hour_of(r.started_at) FROM unnest(p_rows) AS r, log_state s
    WHERE s.id AND r.started_at < s.closed_through;
  END IF;
  IF EXISTS (SELECT FROM unnest(p_leases) AS l WHERE l.want > 0) THEN
    PERFORM ledger_enlarge_leases(p_owner, p_leases);
  END IF;
  DELETE FROM hold h USING unnest(p_leases) AS l
  WHERE h.request_id = l.id AND h.lease AND h.owner_epoch = p_owner AND h.amount = 0;
  RETURN (
    SELECT COALESCE(jsonb_agg(jsonb_build_object('id', h.request_id, 'a', h.amount::text)), '[]')
    FROM unnest(p_leases) AS l JOIN hold h ON h.request_id = l.id AND h.lease AND h.owner_epoch = p_owner);
END $$;

-- Creates the leases that are new, with nothing in them. A subject whose limits renew gets none: its requests open and close
-- periods.
CREATE FUNCTION ledger_open_leases(p_owner bigint, p_leases ledger_lease[]) RETURNS void
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
    AND (l.u IS NULL OR (u.id IS NOT NULL AND b.recurring_lim IS NULL)) AND (l.t IS NULL OR t.id IS NOT NULL);
END $$;

-- Gives open requests holds of their own, charges those that ended, and leaves each lease what it is to keep. The caller holds the
-- lock rows.
CREATE FUNCTION ledger_change_leases(
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
    ON CONFLICT DO NOTHING
    RETURNING meter_ids, amount AS held
  ), bill AS MATERIALIZED (
    SELECT b.*, h.meter_ids
    FROM unnest(p_leased) AS b JOIN hold h ON h.request_id = b.lease AND h.lease AND h.owner_epoch = p_owner
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

-- Adds what is wanted to leases, at most a fair share of what is free: a quarter, divided by the living processes and by the leases
-- that ask together. Less than `least` is not worth a lease. The caller holds the lock rows.
CREATE FUNCTION ledger_enlarge_leases(p_owner bigint, p_leases ledger_lease[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  WITH wanting AS MATERIALIZED (
    SELECT l.id, l.want, l.least, h.meter_ids
    FROM unnest(p_leases) AS l JOIN hold h ON h.request_id = l.id AND h.lease AND h.owner_epoch = p_owner WHERE l.want > 0
  ), shares AS (
    SELECT u.id, count(*) * 4 * GREATEST(1, (
      SELECT count(*) FROM owner WHERE heartbeat_at > clock_timestamp() - interval '30 seconds')) AS parts
    FROM wanting w, unnest(w.meter_ids) AS u (id) GROUP BY u.id
  ), granted AS MATERIALIZED (
    SELECT w.id, w.meter_ids, LEAST(w.want, min(floor((m.lim - m.used - m.held) / s.parts))) AS amount
    FROM wanting w CROSS JOIN LATERAL unnest(w.meter_ids) AS u (id) JOIN meter m ON m.id = u.id JOIN shares s ON s.id = u.id
    GROUP BY w.id, w.meter_ids, w.want, w.least
    HAVING LEAST(w.want, min(floor((m.lim - m.used - m.held) / s.parts))) >= GREATEST(w.least, 1)
  ), held AS (
    UPDATE meter m SET held = m.held + s.amount
    FROM (SELECT u.id, sum(g.amount) AS amount FROM granted g, unnest(g.meter_ids) AS u (id) GROUP BY u.id) AS s
    WHERE m.id = s.id
  )
  UPDATE hold h SET amount = h.amount + g.amount FROM granted g WHERE h.request_id = g.id;
END $$;

-- Takes leases away from processes that are gone; returns the amounts. The caller holds the lock rows.
CREATE FUNCTION ledger_end_leases(p_ids text[]) RETURNS TABLE (id text, amount numeric) LANGUAGE sql
SET enable_seqscan = off AS $$
  WITH ended AS (
    DELETE FROM hold WHERE request_id = ANY (p_ids) AND lease RETURNING request_id, meter_ids, amount
  ), changed AS (
    UPDATE meter m SET held = m.held - s.amount
    FROM (SELECT u.id, sum(e.amount) AS amount FROM ended e, unnest(e.meter_ids) AS u (id) GROUP BY u.id) AS s
    WHERE m.id = s.id
  )
  SELECT request_id, amount FROM ended;
$$;

-- Ends the leases of processes whose journals have been written here as a whole: nothing of them is lost.
CREATE FUNCTION ledger_return_leases(p_owners bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[] := ARRAY(SELECT request_id FROM hold WHERE lease AND owner_epoch = ANY (p_owners));
BEGIN
  PERFORM ledger_lock_holds(v_ids);
  PERFORM ledger_end_leases(v_ids);
  INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
  SELECT l.request_id, 'found', '{}', 0, -l.provider FROM ledger_entry l
  WHERE l.kind = 'lost' AND split_part(l.request_id, '_', 2) = ANY (p_owners::text[])
    AND NOT EXISTS (SELECT FROM ledger_entry f WHERE f.request_id = l.request_id AND f.kind = 'found');
END $$;

-- As before; leases of gone processes end, and what they still held is lost.
CREATE OR REPLACE FUNCTION ledger_sweep(p_owner bigint, p_exclusive boolean, p_stale interval) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_settlements jsonb;
  v_ids text[];
  v_leases text[];
BEGIN
  SELECT array_agg(o.request_id) FILTER (WHERE NOT o.lease), array_agg(o.request_id) FILTER (WHERE o.lease),
    jsonb_agg(jsonb_build_object(
      'id', o.request_id, 'c', COALESCE(o.progress ->> 'c', '0'), 'p', COALESCE(o.progress ->> 'p', '0'), 'e', true,
      'row', COALESCE(o.progress -> 'row', o.row::jsonb))) FILTER (WHERE NOT o.lease)
  INTO v_ids, v_leases, v_settlements
  FROM (
    SELECT h.request_id, h.lease, CASE WHEN h.lease THEN '{}' ELSE h.row END AS row, h.progress FROM hold h
    WHERE h.owner_epoch <> 0 AND h.owner_epoch <> p_owner AND (p_exclusive OR NOT EXISTS (
      SELECT FROM owner o WHERE o.epoch = h.owner_epoch AND o.heartbeat_at > clock_timestamp() - p_stale))
    LIMIT 500
  ) AS o;
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

-- Whether another process has reported nothing of a lease of this key or organization since a moment.
CREATE FUNCTION ledger_is_behind(p_owner bigint, p_key text, p_organization text, p_since timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM hold h WHERE h.lease AND h.owner_epoch <> p_owner AND h.created_at < p_since AND h.meter_ids && ARRAY(
      SELECT id FROM meter WHERE (kind = 'key' AND subject_id = p_key) OR (kind = 'credits' AND subject_id = p_organization)));
$$;

-- A changed limit ends the leases under it at once.
CREATE FUNCTION notify_limit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('sluice_accounts', 'lease return ' || CASE NEW.kind WHEN 'credits' THEN 'organization' ELSE NEW.kind END
    || ' ' || NEW.subject_id);
  RETURN NULL;
END $$;
CREATE TRIGGER meter_limit AFTER UPDATE OF lim, renews ON meter FOR EACH ROW EXECUTE FUNCTION notify_limit();
