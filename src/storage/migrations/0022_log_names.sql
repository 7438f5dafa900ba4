-- Pages of the log by the names that requests report: Bloom filters of the values in blocks of rows, as in `request_log_blocks`.
-- They are summarized in the background, so a row costs no more than with the other BRIN indexes.

CREATE OR REPLACE FUNCTION log_names_index(p_name text, p_table text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
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
