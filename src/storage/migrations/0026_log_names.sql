-- Who a request says it is from, beside its session and agent: see the type LogNames.
ALTER TABLE request_log
  -- The agent that started `agent_id`; the main agent has no name.
  ADD COLUMN parent_agent_id text,
  ADD COLUMN run_id text,
  ADD COLUMN turn_id text,
  ADD COLUMN client_name text,
  ADD COLUMN client_version text,
  -- Text by name, 16 at most.
  ADD COLUMN tags jsonb;

-- As before, with the names.
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
    left(r."clientVersion", 200), r.tags
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
