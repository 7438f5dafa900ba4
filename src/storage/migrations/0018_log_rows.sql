-- Writing the request log.

-- When a request was created, from its id: `req_` and eight base-62 digits of milliseconds. NULL for other ids.
CREATE OR REPLACE FUNCTION request_log_time(p_id text) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_id ~ '^req_[0-9A-Za-z]{30}$' THEN to_timestamp((
    SELECT sum(
      (strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', substr(p_id, 4 + n, 1)) - 1)
      * 62::numeric ^ (8 - n))
    FROM generate_series(1, 8) AS n)::double precision / 1000) END;
$$;

-- Log rows from JSON in the shape of the type LogRow. Text is cut to a bound (an index entry must hold what is indexed); a
-- missing count is 0.
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

-- Stores rows; a row that exists stays. ON CONFLICT is expensive on partitions and conflicts are rare, so they are handled one
-- row at a time afterwards.
CREATE OR REPLACE FUNCTION request_log_store(p_rows jsonb) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_first timestamptz;
BEGIN
  BEGIN
    WITH written AS (
      INSERT INTO request_log SELECT * FROM request_log_decode(p_rows) RETURNING started_at
    )
    SELECT min(started_at) INTO v_first FROM written;
  EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
    PERFORM request_log_store_each(p_rows);
    v_first := '-infinity';
  END;
  -- A statement of its own: it must read after this transaction has written (see usage_close).
  IF v_first < (SELECT closed_through FROM log_state WHERE id) THEN
    INSERT INTO usage_late
    SELECT DISTINCT usage_hour_of(l.started_at) FROM request_log l, log_state s
    WHERE s.id AND l.request_id IN (SELECT e.value ->> 'requestId' FROM jsonb_array_elements(p_rows) AS e (value))
      AND l.started_at < s.closed_through;
  END IF;
END $$;

-- Stores rows that are new and complete, as PostgreSQL's own text; fails as a whole where one is not.
CREATE OR REPLACE FUNCTION request_log_append(p_rows request_log[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
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
END $$;

-- A row that cannot be stored is stored as its outline, so that neither the other rows nor the transaction fail.
CREATE OR REPLACE FUNCTION request_log_store_each(p_rows jsonb) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_row jsonb;
BEGIN
  FOR v_row IN SELECT value FROM jsonb_array_elements(p_rows) AS e (value) LOOP
    BEGIN
      INSERT INTO request_log SELECT * FROM request_log_decode(jsonb_build_array(v_row))
      ON CONFLICT (request_id, started_at) DO NOTHING;
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
      INSERT INTO request_log SELECT * FROM request_log_decode(jsonb_build_array(request_log_outline(v_row)))
      ON CONFLICT (request_id, started_at) DO NOTHING;
    END;
  END LOOP;
END $$;

-- What is certain of a row that cannot be stored: its ids, its start and its cost. The same row has the same outline, so it is
-- stored once.
CREATE OR REPLACE FUNCTION request_log_outline(p_row jsonb) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
  SELECT jsonb_build_object(
    'requestId', p_row ->> 'requestId',
    'organizationId', COALESCE(p_row ->> 'organizationId', ''), 'projectId', COALESCE(p_row ->> 'projectId', ''),
    'keyId', COALESCE(p_row ->> 'keyId', ''),
    'startedAt', COALESCE(
      CASE WHEN jsonb_typeof(p_row -> 'startedAt') = 'number' AND (p_row -> 'startedAt')::numeric BETWEEN 0 AND 1e14
        THEN (p_row -> 'startedAt')::numeric END,
      extract(epoch FROM request_log_time(p_row ->> 'requestId')) * 1000,
      extract(epoch FROM clock_timestamp()) * 1000),
    'endpoint', COALESCE(p_row ->> 'endpoint', ''), 'format', COALESCE(p_row ->> 'format', ''),
    'finishReason', 'gateway_error', 'status', 500, 'errorCode', 'internal_error',
    'errorMessage', 'the full row could not be stored',
    'customer', p_row ->> 'customer', 'provider', p_row ->> 'provider', 'estimated', p_row -> 'estimated');
$$;

-- Replaces the row of a request whose estimate was adjusted. Where its month has been dropped, only usage is corrected.
CREATE OR REPLACE FUNCTION request_log_replace(p_row jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_id text := p_row ->> 'requestId';
  v_outline request_log;
BEGIN
  DELETE FROM request_log WHERE request_id = v_id;
  IF NOT FOUND THEN
    SELECT * INTO v_outline FROM request_log_decode(jsonb_build_array(request_log_outline(p_row)));
    IF v_outline.started_at < (SELECT retention_cutoff FROM log_state WHERE id) THEN
      PERFORM usage_add(ARRAY[(
        usage_day_of(v_outline.started_at), v_outline.organization_id, v_outline.project_id, v_outline.key_id,
        COALESCE(left(p_row ->> 'modelId', 500), ''), COALESCE(left(p_row ->> 'providerId', 500), ''),
        COALESCE(left(p_row ->> 'finishReason', 50), ''), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, e.customer, e.provider)::usage_hour])
      FROM ledger_entry e WHERE e.request_id = v_id AND e.kind = 'adjust';
      RETURN;
    END IF;
  END IF;
  PERFORM request_log_store(jsonb_build_array(p_row));
END $$;
