-- Requests that count tokens have the model they count for, and no answer: they are not among its times.

-- The counts of rows that started in a span.
CREATE OR REPLACE FUNCTION latency_of_rows(p_from timestamptz, p_to timestamptz) RETURNS TABLE (
  hour timestamptz, organization_id text, project_id text, member_id text, model_id text, provider_id text, bucket integer, count bigint)
LANGUAGE sql STABLE AS $$
  SELECT usage_hour_of(l.started_at), l.organization_id, l.project_id, COALESCE(l.member_id, ''), COALESCE(l.model_id, ''),
    COALESCE(l.provider_id, ''), t.bucket, count(*)
  FROM request_log l CROSS JOIN LATERAL (
    VALUES (latency_bucket(l.duration_ms)), (256 + latency_bucket(l.first_event_ms))
  ) AS t (bucket)
  WHERE l.started_at >= p_from AND l.started_at < p_to AND NOT l.cached AND t.bucket IS NOT NULL
    AND l.finish_reason IN ('completed', 'length', 'tool_calls', 'content_filter')
    AND l.endpoint NOT IN ('/v1/messages/count_tokens', '/v1/responses/input_tokens', '/v1beta/models/{model}:countTokens')
  GROUP BY 1, 2, 3, 4, 5, 6, 7;
$$;
