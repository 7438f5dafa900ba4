-- Whether prompt-cache marks are set in requests of the project that have none.
ALTER TABLE project ADD COLUMN cache_marks boolean NOT NULL DEFAULT false;

-- What those marks saved, in pico-USD: negative where more was written than read.
ALTER TABLE request_log ADD COLUMN cache_saved numeric;

-- Only the rows with such marks have an entry.
CREATE INDEX request_log_saved ON request_log (organization_id, started_at) WHERE cache_saved IS NOT NULL;

-- As before, with what marks saved.
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
    CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('request_log_position') END,
    decode(r."promptChain", 'base64'), r."cacheMiss", left(r."cacheMiss" #>> '{reasons,0,code}', 50),
    r."cacheSaved"
  FROM jsonb_to_recordset(p_rows) AS r (
    "requestId" text, "organizationId" text, "projectId" text, "keyId" text, "startedAt" double precision,
    endpoint text, format text, stream boolean, "requestedModel" text,
    "modelId" text, "providerId" text, "externalId" text,
    "finishReason" text, status integer, "errorCode" text, "errorMessage" text,
    cached boolean, estimated boolean, usage jsonb, "customer" numeric, "provider" numeric, "priceVersion" text,
    attempts jsonb, "firstEventMs" double precision, "durationMs" double precision,
    "clientRequestId" text, "userAgent" text, "sessionId" text, "agentId" text, "upstreamId" text,
    "sessionTokenId" text, "memberId" text, "endUserId" text, credential text, units jsonb,
    modifiers jsonb, "parentAgentId" text, "runId" text, "turnId" text, "clientName" text, "clientVersion" text, tags jsonb,
    "promptChain" text, "cacheMiss" jsonb, "cacheSaved" numeric);
$$;

-- As before, with this column.
CREATE OR REPLACE FUNCTION ledger_ship(
  p_owner bigint, p_keys text[], p_organizations text[], p_bills ledger_bill[], p_rows request_log[], p_requests jsonb,
  p_now double precision DEFAULT NULL
) RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM 1 FROM meter
  WHERE (kind = 'key' AND subject_id = ANY (p_keys)) OR (kind = 'credits' AND subject_id = ANY (p_organizations))
  ORDER BY id FOR NO KEY UPDATE;
  IF cardinality(ledger_close(p_bills, false)) <> cardinality(p_bills) THEN
    RAISE EXCEPTION 'a settlement is without its hold';
  END IF;
  -- Every column of the table in its order; the position is given here.
  INSERT INTO request_log
  SELECT
    request_id, organization_id, project_id, key_id, started_at, endpoint, format, stream, requested_model, model_id, provider_id,
    external_id, finish_reason, status, error_code, error_message, cached, estimated, input_uncached, input_cache_read,
    input_cache_write_5m, input_cache_write_1h, input_audio, output_text, output_reasoning, output_audio, web_searches,
    customer_cost, provider_cost, price_version, attempts, first_event_ms, duration_ms, client_request_id, user_agent, session_id,
    agent_id, upstream_id, closed_at, session_token_id, member_id, end_user_id, credential, input_image, output_image, units,
    modifiers, parent_agent_id, run_id, turn_id, client_name, client_version, tags, nextval('request_log_position'),
    prompt_chain, cache_miss, miss_reason, cache_saved
  FROM unnest(p_rows);
  -- A statement of its own: it must read after this transaction has written (see usage_close).
  INSERT INTO usage_late
  SELECT DISTINCT usage_hour_of(r.started_at) FROM unnest(p_rows) AS r, log_state s WHERE s.id AND r.started_at < s.closed_through;
  RETURN CASE WHEN p_requests IS NULL THEN '[]' ELSE ledger_reserve(p_owner, p_requests, p_now) END;
END $$;
