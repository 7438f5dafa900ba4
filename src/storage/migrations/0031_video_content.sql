-- Videos whose provider hands their bytes over with the finished job and keeps none: in parts, so that a range reads only its own.

CREATE TABLE video_content (
  job_id text NOT NULL REFERENCES video_job (id),
  project_id text NOT NULL,
  part integer NOT NULL CHECK (part >= 0),
  expires_at timestamptz NOT NULL,
  bytes bytea NOT NULL,
  CONSTRAINT video_content_pkey PRIMARY KEY (job_id, part)
);
-- Videos are compressed already.
ALTER TABLE video_content ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX video_content_expires_at ON video_content (expires_at);
