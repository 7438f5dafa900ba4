-- The request log, by month of start; and payloads, by month of expiry.

-- The order in which rows became final, without a gap that could still be filled: a transaction has its id before it takes a
-- position, so once every transaction is over that was running when the sequence was read, all positions up to there are taken or
-- lost. No cache: a session must not keep positions for later.
CREATE SEQUENCE request_log_position;

CREATE TABLE request_log (
  request_id text NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  key_id text NOT NULL,
  started_at timestamptz NOT NULL,
  endpoint text NOT NULL,
  format text NOT NULL,
  stream boolean NOT NULL,
  requested_model text NOT NULL,
  model_id text,
  provider_id text,
  external_id text,
  finish_reason text NOT NULL,
  status integer NOT NULL,
  error_code text,
  error_message text,
  cached boolean NOT NULL,
  estimated boolean NOT NULL,
  input_uncached bigint NOT NULL,
  input_cache_read bigint NOT NULL,
  input_cache_write_5m bigint NOT NULL,
  input_cache_write_1h bigint NOT NULL,
  input_audio bigint NOT NULL,
  output_text bigint NOT NULL,
  output_reasoning bigint NOT NULL,
  output_audio bigint NOT NULL,
  web_searches bigint NOT NULL,
  customer_cost numeric(38, 0) NOT NULL,
  provider_cost numeric(38, 0) NOT NULL,
  price_version text,
  attempts jsonb NOT NULL,
  first_event_ms double precision,
  duration_ms double precision NOT NULL,
  client_request_id text,
  user_agent text,
  session_id text,
  agent_id text,
  upstream_id text,
  closed_at timestamptz NOT NULL,
  session_token_id text,
  member_id text,
  -- The name under which an application knows its end user.
  end_user_id text,
  -- Whether the organization's own provider key was used.
  credential text CHECK (credential IN ('own', 'gateway')),
  input_image bigint NOT NULL DEFAULT 0,
  output_image bigint NOT NULL DEFAULT 0,
  -- What is counted by the unit, such as images by size.
  units jsonb,
  -- How the bill was calculated where it is not simply usage by price: its parts, each with its model, its price version and
  -- the factors of its tokens (the type LogPart).
  modifiers jsonb,
  -- The agent that started `agent_id`; the main agent has no name.
  parent_agent_id text,
  run_id text,
  turn_id text,
  client_name text,
  client_version text,
  -- Text by name, 16 at most.
  tags jsonb,
  -- From `request_log_position`, for exports.
  position bigint,
  -- The prompt as hashes (src/logs/prompt-cache/chain.ts), at most 1 KB; only of sessions.
  prompt_chain bytea,
  -- Why the prompt of a session was not read from the cache: see the type CacheMiss.
  cache_miss jsonb,
  -- The code of its first reason.
  miss_reason text,
  -- What the prompt-cache marks that were set for the client saved, in pico-USD: negative where more was written than read.
  cache_saved numeric,
  -- A row is stored once: a request has the same start wherever it is written.
  CONSTRAINT request_log_pkey PRIMARY KEY (request_id, started_at),
  CONSTRAINT request_log_finish_reason_check CHECK (finish_reason IN
    ('completed', 'length', 'tool_calls', 'content_filter', 'canceled', 'client_error', 'upstream_error', 'gateway_error'))
) PARTITION BY RANGE (started_at);
-- Takes the rows of months that have no partition.
CREATE TABLE request_log_default PARTITION OF request_log DEFAULT;

-- Few indexes for the running month, because each one costs every settlement: the primary key, two b-trees, two for the few
-- rows that have a value, and two BRIN. The others are built when the month is over (`log_month_work`).
CREATE INDEX request_log_key ON request_log (key_id, started_at DESC, request_id DESC);

-- What a page is filtered by is in the index itself: a filter that nothing matches reads entries, and no row. A model as the client
-- named it is there only where that differs from the catalogue's id.
CREATE INDEX request_log_organization ON request_log (
  organization_id, started_at DESC, request_id DESC, project_id, key_id, model_id, (NULLIF(requested_model, model_id)),
  provider_id, finish_reason, member_id, session_token_id);

-- Times of blocks of rows, and Bloom filters of the values in them: they find what few blocks have, such as a session, and what
-- none has.
CREATE INDEX request_log_blocks ON request_log USING brin (
  closed_at, started_at,
  session_id text_bloom_ops (n_distinct_per_range = 200),
  model_id text_bloom_ops (n_distinct_per_range = 32),
  (NULLIF(requested_model, model_id)) text_bloom_ops (n_distinct_per_range = 32),
  project_id text_bloom_ops (n_distinct_per_range = 32),
  provider_id text_bloom_ops (n_distinct_per_range = 16),
  finish_reason text_bloom_ops (n_distinct_per_range = 16),
  member_id text_bloom_ops (n_distinct_per_range = 32),
  session_token_id text_bloom_ops (n_distinct_per_range = 32)
) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX request_log_positions ON request_log USING brin (position) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX request_log_misses ON request_log (organization_id, started_at) WHERE miss_reason IS NOT NULL;
CREATE INDEX request_log_saved ON request_log (organization_id, started_at) WHERE cache_saved IS NOT NULL;

-- Requests and answers in full, of projects that keep them; each until its own day.
CREATE TABLE request_payload (
  request_id text NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  expires_at timestamptz NOT NULL,
  -- zstd, so PostgreSQL does not compress it again. `_bytes` is the length before; `_cut`: a longer text was cut.
  request bytea NOT NULL,
  request_bytes bigint NOT NULL,
  request_cut boolean NOT NULL,
  answer bytea NOT NULL,
  answer_bytes bigint NOT NULL,
  answer_cut boolean NOT NULL,
  answer_status integer NOT NULL,
  answer_type text NOT NULL,
  CONSTRAINT request_payload_pkey PRIMARY KEY (request_id, expires_at)
) PARTITION BY RANGE (expires_at);
ALTER TABLE request_payload ALTER COLUMN request SET STORAGE EXTERNAL, ALTER COLUMN answer SET STORAGE EXTERNAL;
CREATE INDEX request_payload_project ON request_payload (project_id);
CREATE INDEX request_payload_expires_at ON request_payload (expires_at);
CREATE TABLE request_payload_default PARTITION OF request_payload DEFAULT;

CREATE OR REPLACE FUNCTION log_month(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_trunc('month', p_moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
$$;

-- Creates the partition of a month unless it exists; returns whether it did. Rows of that month in the default partition move
-- there. ATTACH instead of PARTITION OF: readers and writers of the other partitions do not wait.
CREATE OR REPLACE FUNCTION log_partition_make(p_parent text, p_column text, p_month timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_from timestamptz := log_month(p_month);
  v_to timestamptz := log_month(v_from + interval '32 days');
  v_name text := p_parent || to_char(v_from AT TIME ZONE 'UTC', '_YYYY_MM');
  v_strays boolean;
BEGIN
  IF to_regclass(v_name) IS NOT NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', v_name, p_parent);
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', p_parent || '_default');
  EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE %I >= $1 AND %I < $2)', p_parent || '_default', p_column, p_column)
  INTO v_strays USING v_from, v_to;
  IF v_strays THEN
    EXECUTE format(
      'WITH moved AS (DELETE FROM %I WHERE %I >= $1 AND %I < $2 RETURNING *) INSERT INTO %I SELECT * FROM moved',
      p_parent || '_default', p_column, p_column, v_name) USING v_from, v_to;
  END IF;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', p_parent, v_name, v_from, v_to);
  RETURN true;
END $$;

-- The monthly partitions of a table, oldest first.
CREATE OR REPLACE FUNCTION log_partitions(p_parent text) RETURNS TABLE (name text, starts_at timestamptz, ends_at timestamptz, bytes bigint)
LANGUAGE sql STABLE AS $$
  SELECT p.relname::text, b.starts_at, log_month(b.starts_at + interval '32 days'), pg_total_relation_size(p.oid)
  FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid
  CROSS JOIN LATERAL (
    SELECT (to_date(right(p.relname::text, 7), 'YYYY_MM'))::timestamp AT TIME ZONE 'UTC' AS starts_at
  ) AS b
  WHERE i.inhparent = p_parent::regclass AND p.relname::text ~ '_\d{4}_\d\d$' ORDER BY b.starts_at;
$$;

-- This month and the two after it; the gateway creates those that follow in time.
SELECT log_partition_make(t.name, t.column_name, log_month(now()) + n * interval '32 days')
FROM (VALUES ('request_log', 'started_at'), ('request_payload', 'expires_at')) AS t (name, column_name), generate_series(0, 2) AS n;

-- How far the maintenance of the log has come; one row.
CREATE TABLE log_state (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  -- Rows that started before this moment are dropped; only usage per day is left of them.
  retention_cutoff timestamptz NOT NULL,
  -- A row that started before this moment and is written now is late: it marks its hour in `usage_late`.
  closed_through timestamptz NOT NULL,
  -- The hours before this moment are in `usage_hour`.
  counted_through timestamptz NOT NULL,
  -- Hours before this moment are not in `usage_detail`: they were counted without it.
  detailed_from timestamptz NOT NULL DEFAULT '-infinity',
  CHECK (retention_cutoff <= counted_through AND counted_through <= closed_through)
);
INSERT INTO log_state VALUES (true, '-infinity', '-infinity', '-infinity');

-- Statements that give a month the indexes that it lacks, newest month first; none when all have them: one that is over and
-- counted those of its queries over many months, one that is older than `request_log_names` that index. CONCURRENTLY, so rows do
-- not wait; an index that was cut short is invalid and is dropped first.
CREATE OR REPLACE FUNCTION log_month_work() RETURNS SETOF text LANGUAGE sql STABLE AS $$
  WITH wanted AS (
    SELECT p.name AS month, p.starts_at, p.name || '_' || i.name AS name, i.place,
      format('%I ON %I ', p.name || '_' || i.name, p.name) || i.definition AS definition
    FROM log_partitions('request_log') p, log_state s, (VALUES
      (1, 'project', '(project_id, started_at DESC, request_id DESC)'),
      (2, 'moment', '(started_at DESC, request_id DESC)'),
      (3, 'model', '(organization_id, model_id, started_at DESC, request_id DESC)'),
      (4, 'alias', '(organization_id, NULLIF(requested_model, model_id), started_at DESC, request_id DESC)
        WHERE NULLIF(requested_model, model_id) IS NOT NULL'),
      (5, 'finish', '(organization_id, finish_reason, started_at DESC, request_id DESC)
        WHERE finish_reason NOT IN (''completed'', ''tool_calls'')'),
      (6, 'session', '(session_id, started_at DESC, request_id DESC) WHERE session_id IS NOT NULL')
    ) AS i (place, name, definition)
    WHERE p.ends_at <= s.counted_through
    UNION ALL
    SELECT p.name, p.starts_at, p.name || '_names', 0, log_names_index(p.name || '_names', p.name)
    FROM log_partitions('request_log') p
    WHERE NOT EXISTS (
      SELECT FROM pg_inherits h JOIN pg_index x ON x.indexrelid = h.inhrelid
      WHERE h.inhparent = 'request_log_names'::regclass AND x.indrelid = p.name::regclass)
  ), open AS (
    SELECT w.*, x.indexrelid IS NOT NULL AND NOT x.indisvalid AS is_cut, x.indisvalid IS TRUE AS is_built
    FROM wanted w LEFT JOIN pg_index x ON x.indexrelid = to_regclass(w.name)
    WHERE x.indisvalid IS NOT TRUE OR w.place = 0
  )
  SELECT statement FROM open CROSS JOIN LATERAL (
    SELECT 1 AS step, format('DROP INDEX CONCURRENTLY %I', name) AS statement WHERE is_cut
    UNION ALL SELECT 2, 'CREATE INDEX CONCURRENTLY ' || definition WHERE NOT is_built
    UNION ALL SELECT 3, format('ALTER INDEX request_log_names ATTACH PARTITION %I', name) WHERE place = 0
  ) AS work
  WHERE starts_at = (SELECT max(starts_at) FROM open) ORDER BY place, step;
$$;

-- How far each export of the configuration has come.
CREATE TABLE log_export (
  name text PRIMARY KEY,
  type text NOT NULL,
  -- Every row up to this position is delivered.
  position bigint NOT NULL,
  -- The last position of the batch that is being delivered: after a crash the same batch is sent again, under the same id.
  pending_through bigint CHECK (pending_through > position),
  -- What the destination needs to continue, such as the length of a file.
  state jsonb,
  exported_rows bigint NOT NULL DEFAULT 0,
  exported_at timestamptz,
  -- Since the last success.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT now()
);
