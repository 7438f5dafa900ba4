-- Few indexes for the running month of the log, because each one costs every settlement: the primary key, two b-trees and one BRIN.
-- The others are built when the month is over (`log_month_work`).

DROP INDEX request_log_organization, request_log_project, request_log_started_at, request_log_model, request_log_alias,
  request_log_finish, request_log_session, request_log_closed_at;

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

-- Statements that give one month that is over and counted the indexes of its queries over many months, newest month first; none
-- when all have them. CONCURRENTLY, so late rows do not wait; an index that was cut short is invalid and is dropped first.
CREATE FUNCTION log_month_work() RETURNS SETOF text LANGUAGE sql STABLE AS $$
  WITH wanted AS (
    SELECT p.name AS month, p.starts_at, p.name || '_' || i.name AS name, i.place, i.definition
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
  ), open AS (
    SELECT w.*, x.indexrelid IS NOT NULL AS is_cut FROM wanted w LEFT JOIN pg_index x ON x.indexrelid = to_regclass(w.name)
    WHERE x.indisvalid IS NOT TRUE
  )
  SELECT statement FROM open CROSS JOIN LATERAL (
    SELECT 1 AS step, format('DROP INDEX CONCURRENTLY %I', name) AS statement WHERE is_cut
    UNION ALL SELECT 2, format('CREATE INDEX CONCURRENTLY %I ON %I ', name, month) || definition
  ) AS work
  WHERE starts_at = (SELECT max(starts_at) FROM open) ORDER BY place, step;
$$;
