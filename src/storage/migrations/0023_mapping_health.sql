-- What each process knows of how providers' offers do. Unlogged: after a crash of the server it is learnt again.
CREATE UNLOGGED TABLE mapping_health (
  process text NOT NULL,
  -- Provider, model and credential.
  mapping text NOT NULL,
  report jsonb NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (process, mapping)
);
