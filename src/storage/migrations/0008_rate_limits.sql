-- What a key or an organization may do at most: requests and tokens a minute, requests at once. A member that is absent
-- is not limited; the members are those of `RateLimits` in src/accounts/limits/rate-limits.ts.

ALTER TABLE organization ADD COLUMN rate_limits jsonb CHECK (jsonb_typeof(rate_limits) = 'object');
ALTER TABLE api_key ADD COLUMN rate_limits jsonb CHECK (jsonb_typeof(rate_limits) = 'object');
