-- Requests and answers word for word, of projects that asked for it; compressed, each until its own day.

ALTER TABLE project ADD COLUMN payload_days integer CHECK (payload_days BETWEEN 1 AND 400);

CREATE TABLE request_payload (
  request_id text NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  expires_at timestamptz NOT NULL,
  -- zstd; `_bytes` is the length as it was, and a text longer than the bound is cut.
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
SELECT log_partition_make('request_payload', 'expires_at', log_month(now()) + n * interval '32 days') FROM generate_series(0, 2) AS n;

-- Drops one month of expiry. The caller bounds the wait for locks.
CREATE FUNCTION request_payload_drop(p_name text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE request_payload DETACH PARTITION %I', p_name);
  EXECUTE format('DROP TABLE %I', p_name);
  RETURN true;
END $$;
