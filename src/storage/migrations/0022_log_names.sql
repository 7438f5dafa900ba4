-- Pages of the log by the names that requests report: Bloom filters of the values in blocks of rows, as in `request_log_blocks`.
-- They are summarized in the background, so a row costs no more than with the other BRIN indexes.

CREATE FUNCTION log_names_index(p_name text, p_table text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format('%I ON %I USING brin (
    agent_id text_bloom_ops (n_distinct_per_range = 100),
    turn_id text_bloom_ops (n_distinct_per_range = 200),
    run_id text_bloom_ops (n_distinct_per_range = 100),
    end_user_id text_bloom_ops (n_distinct_per_range = 100),
    parent_agent_id text_bloom_ops (n_distinct_per_range = 32),
    client_name text_bloom_ops (n_distinct_per_range = 16)
  ) WITH (pages_per_range = 16, autosummarize = on)', p_name, p_table);
$$;

-- ONLY: a partition that has rows gets its index without blocking writers, from the upkeep of the log; new ones have it at once.
CREATE INDEX request_log_names ON ONLY request_log USING brin (
  agent_id text_bloom_ops (n_distinct_per_range = 100),
  turn_id text_bloom_ops (n_distinct_per_range = 200),
  run_id text_bloom_ops (n_distinct_per_range = 100),
  end_user_id text_bloom_ops (n_distinct_per_range = 100),
  parent_agent_id text_bloom_ops (n_distinct_per_range = 32),
  client_name text_bloom_ops (n_distinct_per_range = 16)
) WITH (pages_per_range = 16, autosummarize = on);
DO $$
DECLARE
  v_table text;
BEGIN
  FOR v_table IN
    SELECT name FROM log_partitions('request_log') WHERE pg_relation_size(name::regclass) = 0 UNION ALL SELECT 'request_log_default'
  LOOP
    EXECUTE 'CREATE INDEX ' || log_names_index(v_table || '_names', v_table);
    EXECUTE format('ALTER INDEX request_log_names ATTACH PARTITION %I', v_table || '_names');
  END LOOP;
END $$;

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
