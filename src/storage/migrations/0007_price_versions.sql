-- Every price that a request may have been charged at, so that its bill can be explained when the price has changed.

CREATE TABLE price_version (
  version text PRIMARY KEY,
  price jsonb NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);
