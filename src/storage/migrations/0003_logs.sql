-- One row per outcome.

CREATE TABLE request_log (
  request_id text PRIMARY KEY,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  key_id text NOT NULL,
  started_at timestamptz NOT NULL,
  endpoint text NOT NULL,
  format text NOT NULL,
  stream boolean NOT NULL,
  requested_model text NOT NULL,
  model_id text,
  provider_id text,
  external_id text,
  finish_reason text NOT NULL CHECK (finish_reason IN
    ('completed', 'length', 'tool_calls', 'content_filter', 'canceled', 'client_error', 'upstream_error', 'gateway_error')),
  status integer NOT NULL,
  error_code text,
  error_message text,
  cached boolean NOT NULL,
  estimated boolean NOT NULL,
  input_uncached bigint NOT NULL,
  input_cache_read bigint NOT NULL,
  input_cache_write_5m bigint NOT NULL,
  input_cache_write_1h bigint NOT NULL,
  input_audio bigint NOT NULL,
  output_text bigint NOT NULL,
  output_reasoning bigint NOT NULL,
  output_audio bigint NOT NULL,
  web_searches bigint NOT NULL,
  customer_cost numeric(38, 0) NOT NULL,
  provider_cost numeric(38, 0) NOT NULL,
  price_version text,
  attempts jsonb NOT NULL,
  first_event_ms double precision,
  duration_ms double precision NOT NULL,
  client_request_id text,
  user_agent text,
  session_id text,
  agent_id text,
  upstream_id text,
  closed_at timestamptz NOT NULL
);
CREATE INDEX request_log_organization ON request_log (organization_id, started_at DESC, request_id DESC);
CREATE INDEX request_log_project ON request_log (project_id, started_at DESC, request_id DESC);
CREATE INDEX request_log_key ON request_log (key_id, started_at DESC, request_id DESC);
CREATE INDEX request_log_started_at ON request_log (started_at DESC, request_id DESC);
CREATE INDEX request_log_closed_at ON request_log USING brin (closed_at) WITH (pages_per_range = 16, autosummarize = on);

-- Log rows as JSON, in the shape of the type LogRow. Text is cut to a bound, a missing count is 0.
CREATE FUNCTION request_log_decode(p_rows jsonb) RETURNS SETOF request_log LANGUAGE sql STABLE AS $$
  SELECT
    r."requestId", r."organizationId", r."projectId", r."keyId", to_timestamp(r."startedAt" / 1000),
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
    left(r."clientRequestId", 500), left(r."userAgent", 500), left(r."sessionId", 500), left(r."agentId", 500),
    left(r."upstreamId", 500), now()
  FROM jsonb_to_recordset(p_rows) AS r (
    "requestId" text, "organizationId" text, "projectId" text, "keyId" text, "startedAt" double precision,
    endpoint text, format text, stream boolean, "requestedModel" text,
    "modelId" text, "providerId" text, "externalId" text,
    "finishReason" text, status integer, "errorCode" text, "errorMessage" text,
    cached boolean, estimated boolean, usage jsonb, "customer" numeric, "provider" numeric, "priceVersion" text,
    attempts jsonb, "firstEventMs" double precision, "durationMs" double precision,
    "clientRequestId" text, "userAgent" text, "sessionId" text, "agentId" text, "upstreamId" text);
$$;

-- Stores rows; the first row of a request stays. A row that cannot be stored becomes its bare outline, so that neither its
-- neighbours nor the transaction around it are lost.
CREATE FUNCTION request_log_store(p_rows jsonb) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_row jsonb;
BEGIN
  BEGIN
    INSERT INTO request_log SELECT * FROM request_log_decode(p_rows) ON CONFLICT (request_id) DO NOTHING;
    RETURN;
  EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
    NULL;
  END;
  FOR v_row IN SELECT value FROM jsonb_array_elements(p_rows) AS e (value) LOOP
    BEGIN
      INSERT INTO request_log SELECT * FROM request_log_decode(jsonb_build_array(v_row)) ON CONFLICT (request_id) DO NOTHING;
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
      INSERT INTO request_log SELECT * FROM request_log_decode(jsonb_build_array(request_log_outline(v_row)))
      ON CONFLICT (request_id) DO NOTHING;
    END;
  END LOOP;
END $$;

-- What is certain of a row that cannot be stored as it is: whose it is and what it cost.
CREATE FUNCTION request_log_outline(p_row jsonb) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
  SELECT jsonb_build_object(
    'requestId', p_row ->> 'requestId',
    'organizationId', COALESCE(p_row ->> 'organizationId', ''), 'projectId', COALESCE(p_row ->> 'projectId', ''),
    'keyId', COALESCE(p_row ->> 'keyId', ''),
    'startedAt', extract(epoch FROM clock_timestamp()) * 1000,
    'endpoint', COALESCE(p_row ->> 'endpoint', ''), 'format', COALESCE(p_row ->> 'format', ''),
    'finishReason', 'gateway_error', 'status', 500, 'errorCode', 'internal_error',
    'errorMessage', 'the full row could not be stored',
    'customer', p_row ->> 'customer', 'provider', p_row ->> 'provider', 'estimated', p_row -> 'estimated');
$$;

-- The row of a request whose estimate was corrected.
CREATE FUNCTION request_log_replace(p_row jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM request_log WHERE request_id = p_row ->> 'requestId';
  PERFORM request_log_store(jsonb_build_array(p_row));
END $$;
