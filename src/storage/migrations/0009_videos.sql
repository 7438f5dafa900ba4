-- Video jobs: work that outlives the request, and the process, that started it.

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
  -- Seconds × price, at the price of the moment it was created.
  cost numeric(38, 0) NOT NULL CHECK (cost >= 0),
  premium boolean NOT NULL,
  status text NOT NULL CHECK (status IN ('queued', 'in_progress', 'completed', 'failed', 'canceled', 'expired')),
  progress integer NOT NULL DEFAULT 0,
  -- The provider's id of the job; NULL until the provider has answered.
  upstream_id text,
  -- Where the video is once the job is completed.
  content_url text,
  content_expires_at timestamptz,
  error_code text,
  error_message text,
  created_at timestamptz NOT NULL,
  -- When it expires unfinished.
  deadline timestamptz NOT NULL,
  ended_at timestamptz,
  deleted_at timestamptz,
  -- When the provider is polled next, and until when a process is doing so; both by the database's clock.
  poll_at timestamptz NOT NULL,
  leased_until timestamptz,
  failures integer NOT NULL DEFAULT 0,
  -- Its log row at the time it was created, as JSON text.
  row text NOT NULL,
  -- Owner of the session token that created it; NULL where a key did.
  holder text
);
CREATE UNIQUE INDEX video_job_idempotency ON video_job (project_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX video_job_project ON video_job (project_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX video_job_created_at ON video_job (created_at DESC, id DESC);
CREATE INDEX video_job_due ON video_job (poll_at) WHERE status IN ('queued', 'in_progress');
CREATE INDEX video_job_holder ON video_job (project_id, holder, created_at DESC, id DESC)
  WHERE holder IS NOT NULL AND deleted_at IS NULL;

-- Videos whose provider returns the bytes with the finished job and keeps no copy. In parts, so that a range request reads
-- only its own; uncompressed, because videos are compressed already.
CREATE TABLE video_content (
  job_id text NOT NULL REFERENCES video_job (id),
  project_id text NOT NULL,
  part integer NOT NULL CHECK (part >= 0),
  expires_at timestamptz NOT NULL,
  bytes bytea NOT NULL,
  CONSTRAINT video_content_pkey PRIMARY KEY (job_id, part)
);
ALTER TABLE video_content ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX video_content_expires_at ON video_content (expires_at);

-- Where a project is notified of the end of its jobs. The signing secret is derived from the version, so no row holds one.
CREATE TABLE video_webhook (
  project_id text PRIMARY KEY REFERENCES project (id),
  url text NOT NULL,
  secret_version integer NOT NULL DEFAULT 1
);
CREATE TRIGGER video_webhook_audited AFTER INSERT OR UPDATE OR DELETE ON video_webhook
  FOR EACH ROW EXECUTE FUNCTION audit_change('video_webhook', 'project_id');

-- A notification to deliver.
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
  abandoned_at timestamptz
);
CREATE INDEX video_event_due ON video_event (next_at) WHERE delivered_at IS NULL AND abandoned_at IS NULL;
CREATE INDEX video_event_job ON video_event (job_id);
