-- Video jobs: work that outlives the request, and the process, that ordered it.

CREATE TABLE video_job (
  id text PRIMARY KEY,
  -- The id of its log row and of its hold.
  request_id text NOT NULL UNIQUE,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  key_id text NOT NULL,
  idempotency_key text,
  order_digest text NOT NULL,
  requested_model text NOT NULL,
  model_id text NOT NULL,
  provider_id text NOT NULL,
  external_id text NOT NULL,
  prompt text NOT NULL,
  seconds integer NOT NULL CHECK (seconds > 0),
  size text NOT NULL,
  price_version text,
  -- Seconds × price at the prices of the day it was ordered.
  cost numeric(38, 0) NOT NULL CHECK (cost >= 0),
  premium boolean NOT NULL,
  status text NOT NULL CHECK (status IN ('queued', 'in_progress', 'completed', 'failed', 'canceled', 'expired')),
  progress integer NOT NULL DEFAULT 0,
  -- The provider's name for the job; absent until its answer to the order has arrived.
  upstream_id text,
  -- Where its bytes are, once it is completed.
  content_url text,
  content_expires_at timestamptz,
  error_code text,
  error_message text,
  created_at timestamptz NOT NULL,
  -- When it is given up.
  deadline timestamptz NOT NULL,
  ended_at timestamptz,
  deleted_at timestamptz,
  -- When its provider is asked next, and until when somebody is at it. The database's clock tells both.
  poll_at timestamptz NOT NULL,
  leased_until timestamptz,
  failures integer NOT NULL DEFAULT 0,
  -- Its log row as it was when it was ordered: JSON text.
  row text NOT NULL
);
CREATE UNIQUE INDEX video_job_idempotency ON video_job (project_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX video_job_project ON video_job (project_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX video_job_created_at ON video_job (created_at DESC, id DESC);
CREATE INDEX video_job_due ON video_job (poll_at) WHERE status IN ('queued', 'in_progress');

-- Where a project wants to be told of the end of a job. Its secret is derived, so that no row holds one.
CREATE TABLE video_webhook (
  project_id text PRIMARY KEY REFERENCES project (id),
  url text NOT NULL,
  secret_version integer NOT NULL DEFAULT 1
);

CREATE TABLE video_event (
  id text PRIMARY KEY,
  job_id text NOT NULL REFERENCES video_job (id),
  project_id text NOT NULL,
  type text NOT NULL,
  created_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  leased_until timestamptz,
  delivered_at timestamptz,
  given_up_at timestamptz
);
CREATE INDEX video_event_due ON video_event (next_at) WHERE delivered_at IS NULL AND given_up_at IS NULL;
CREATE INDEX video_event_job ON video_event (job_id);

-- A hold of the owner 0 belongs to a job: no process that dies takes it along, and whoever ends the job resolves it.
CREATE FUNCTION ledger_entrust(p_owner bigint, p_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE hold SET owner_epoch = 0 WHERE request_id = p_id AND owner_epoch = p_owner;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the hold of % is gone', p_id;
  END IF;
END $$;

-- As before, without the holds of jobs.
CREATE OR REPLACE FUNCTION ledger_sweep(p_owner bigint, p_exclusive boolean, p_stale interval) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_settlements jsonb;
  v_ids text[];
BEGIN
  SELECT array_agg(o.request_id), jsonb_agg(jsonb_build_object(
    'id', o.request_id, 'c', COALESCE(o.progress ->> 'c', '0'), 'p', COALESCE(o.progress ->> 'p', '0'), 'e', true,
    'row', COALESCE(o.progress -> 'row', o.row::jsonb)))
  INTO v_ids, v_settlements
  FROM (
    SELECT h.request_id, h.row, h.progress FROM hold h
    WHERE h.owner_epoch <> 0 AND h.owner_epoch <> p_owner AND (p_exclusive OR NOT EXISTS (
      SELECT FROM owner o WHERE o.epoch = h.owner_epoch AND o.heartbeat_at > clock_timestamp() - p_stale))
    LIMIT 500
  ) AS o;
  DELETE FROM owner o WHERE o.epoch <> p_owner AND o.heartbeat_at < clock_timestamp() - interval '1 day'
    AND NOT EXISTS (SELECT FROM hold h WHERE h.owner_epoch = o.epoch);
  IF v_ids IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM ledger_lock_holds(v_ids);
  RETURN cardinality(ledger_resolve(v_settlements, v_ids, true));
END $$;

-- What must agree between jobs and their holds: an open job has one, one that has ended has none.
CREATE FUNCTION ledger_check_jobs() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE sql STABLE AS $$
  SELECT 'hold of a job', h.request_id, 'an open job', COALESCE(j.status, 'no job')
  FROM hold h LEFT JOIN video_job j ON j.request_id = h.request_id
  WHERE h.owner_epoch = 0 AND (j.id IS NULL OR j.status NOT IN ('queued', 'in_progress'))
  UNION ALL
  SELECT 'job', j.id, 'a hold', 'none' FROM video_job j
  WHERE j.status IN ('queued', 'in_progress') AND NOT EXISTS (SELECT FROM hold h WHERE h.request_id = j.request_id)
  UNION ALL
  SELECT 'bill of a job', j.id, CASE j.status WHEN 'completed' THEN j.cost::text ELSE '0' END, COALESCE(sum(e.customer)::text, 'none')
  FROM video_job j LEFT JOIN ledger_entry e ON e.request_id = j.request_id
  WHERE j.status NOT IN ('queued', 'in_progress') GROUP BY j.id
  HAVING sum(e.customer) IS DISTINCT FROM CASE j.status WHEN 'completed' THEN j.cost ELSE 0 END;
$$;
