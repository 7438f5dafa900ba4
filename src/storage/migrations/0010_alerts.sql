-- Alerts to the operator.

-- Events that the operator is alerted to, delivered as webhooks.
CREATE TABLE alert_event (
  id text PRIMARY KEY,
  -- What it is about, such as a threshold of a budget in a period: there is one event of it.
  subject text NOT NULL UNIQUE,
  type text NOT NULL,
  data jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- From then on there can be no second event about the subject, and this one is deleted.
  expires_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  leased_until timestamptz,
  delivered_at timestamptz,
  abandoned_at timestamptz
);
CREATE INDEX alert_event_due ON alert_event (next_at) WHERE delivered_at IS NULL AND abandoned_at IS NULL;
CREATE INDEX alert_event_expires_at ON alert_event (expires_at) WHERE expires_at IS NOT NULL;

-- Conditions that last, such as the outage of a provider, and what is done once in a while by one of several processes.
CREATE TABLE alert_state (
  name text PRIMARY KEY,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When a process last saw it. One that ends no longer does.
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Of a condition: the alert when it ends.
  ending jsonb
);
