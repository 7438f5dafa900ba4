-- What missed prompt caches cost: only the rows that missed have an entry.
CREATE INDEX request_log_misses ON request_log (organization_id, started_at) WHERE miss_reason IS NOT NULL;
