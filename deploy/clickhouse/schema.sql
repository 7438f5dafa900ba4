-- Rows of Sluice's request log (docs/exports.md). A row that is sent twice, or corrected after a crash, replaces the earlier one:
-- when parts are merged, and at once with FINAL.
CREATE TABLE IF NOT EXISTS sluice_requests
(
    id String,
    -- When the row became final; a correction is later.
    settled_at DateTime64(3, 'UTC'),
    position UInt64,
    started_at DateTime64(3, 'UTC'),
    organization_id LowCardinality(String),
    project_id LowCardinality(String),
    key_id String,
    member_id Nullable(String),
    session_token_id Nullable(String),
    end_user_id Nullable(String),
    endpoint LowCardinality(String),
    format LowCardinality(String),
    stream Bool,
    requested_model LowCardinality(String),
    model_id LowCardinality(Nullable(String)),
    provider_id LowCardinality(Nullable(String)),
    finish_reason LowCardinality(String),
    status UInt16,
    error_code LowCardinality(Nullable(String)),
    error_message Nullable(String),
    cached Bool,
    estimated Bool,
    -- Disjoint parts, such as input_uncached and output_text.
    usage Map(LowCardinality(String), UInt64),
    input_tokens UInt64,
    cached_tokens UInt64,
    cache_write_tokens UInt64,
    output_tokens UInt64,
    reasoning_tokens UInt64,
    -- USD, exact.
    cost Decimal(38, 12),
    provider_cost Decimal(38, 12),
    price_version Nullable(String),
    -- JSON: [{"provider_id": …, "outcome": …, "duration_ms": …}].
    attempts String,
    modifiers String,
    cache_miss String,
    cache_saved Nullable(Decimal(38, 12)),
    first_event_ms Nullable(Float64),
    duration_ms Float64,
    client_request_id Nullable(String),
    user_agent Nullable(String),
    client_name LowCardinality(Nullable(String)),
    client_version Nullable(String),
    session_id Nullable(String),
    agent_id Nullable(String),
    parent_agent_id Nullable(String),
    run_id Nullable(String),
    turn_id Nullable(String),
    tags Map(String, String),
    upstream_id Nullable(String)
)
ENGINE = ReplacingMergeTree(settled_at)
PARTITION BY toYYYYMM(started_at)
ORDER BY (organization_id, started_at, id)
-- Drops batches that are sent again within the last thousand.
SETTINGS non_replicated_deduplication_window = 1000;
