-- Exports of log rows.

-- The order in which rows became final, without a gap that could still be filled: a transaction has its id before it takes a
-- position, so once every transaction is over that was running when the sequence was read, all positions up to there are taken or
-- lost. No cache: a session must not keep positions for later. Rows of earlier versions have none.
CREATE SEQUENCE request_log_position;
ALTER TABLE request_log ADD COLUMN position bigint;
CREATE INDEX request_log_positions ON request_log USING brin (position) WITH (pages_per_range = 16, autosummarize = on);

-- As before, with the position.
CREATE OR REPLACE FUNCTION request_log_decode(p_rows jsonb) RETURNS SETOF request_log LANGUAGE sql STABLE AS $$
  SELECT
    r."requestId", r."organizationId", r."projectId", r."keyId", to_timestamp(round(r."startedAt") / 1000),
    left(r.endpoint, 200), left(r.format, 50), COALESCE(r.stream, false), left(COALESCE(r."requestedModel", ''), 500),
    left(r."modelId", 500), left(r."providerId", 500), left(r."externalId", 500),
    r."finishReason", r.status, left(r."errorCode", 200), left(r."errorMessage", 4000),
    COALESCE(r.cached, false), COALESCE(r.estimated, false),
    COALESCE((r.usage ->> 'inputUncached')::bigint, 0), COALESCE((r.usage ->> 'inputCacheRead')::bigint, 0),
    COALESCE((r.usage ->> 'inputCacheWrite5m')::bigint, 0), COALESCE((r.usage ->> 'inputCacheWrite1h')::bigint, 0),
    COALESCE((r.usage ->> 'inputAudio')::bigint, 0), COALESCE((r.usage ->> 'outputText')::bigint, 0),
    COALESCE((r.usage ->> 'outputReasoning')::bigint, 0), COALESCE((r.usage ->> 'outputAudio')::bigint, 0),
    COALESCE((r.usage ->> 'webSearches')::bigint, 0),
    COALESCE(r."customer", 0), COALESCE(r."provider", 0), left(r."priceVersion", 200),
    COALESCE(r.attempts, '[]'), r."firstEventMs", COALESCE(r."durationMs", 0),
    left(r."clientRequestId", 500), left(r."userAgent", 500), left(r."sessionId", 120), left(r."agentId", 500),
    left(r."upstreamId", 500), now(), left(r."sessionTokenId", 120), left(r."memberId", 120),
    left(r."endUserId", 200), CASE WHEN r.credential IN ('own', 'gateway') THEN r.credential END,
    COALESCE((r.usage ->> 'inputImage')::bigint, 0), COALESCE((r.usage ->> 'outputImage')::bigint, 0), r.units, r.modifiers,
    left(r."parentAgentId", 200), left(r."runId", 200), left(r."turnId", 200), left(r."clientName", 200),
    left(r."clientVersion", 200), r.tags,
    CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('request_log_position') END
  FROM jsonb_to_recordset(p_rows) AS r (
    "requestId" text, "organizationId" text, "projectId" text, "keyId" text, "startedAt" double precision,
    endpoint text, format text, stream boolean, "requestedModel" text,
    "modelId" text, "providerId" text, "externalId" text,
    "finishReason" text, status integer, "errorCode" text, "errorMessage" text,
    cached boolean, estimated boolean, usage jsonb, "customer" numeric, "provider" numeric, "priceVersion" text,
    attempts jsonb, "firstEventMs" double precision, "durationMs" double precision,
    "clientRequestId" text, "userAgent" text, "sessionId" text, "agentId" text, "upstreamId" text,
    "sessionTokenId" text, "memberId" text, "endUserId" text, credential text, units jsonb,
    modifiers jsonb, "parentAgentId" text, "runId" text, "turnId" text, "clientName" text, "clientVersion" text, tags jsonb);
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
