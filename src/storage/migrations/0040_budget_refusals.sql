-- When a budget last refused a request, for alerts and lists of budgets. Not in `meter`, whose rows are locked for every hold.
-- With the limit of that moment: once it changes, the refusal says nothing about it.
CREATE TABLE budget_refusal (
  meter_id bigint PRIMARY KEY REFERENCES meter ON DELETE CASCADE,
  lim numeric(38, 0) NOT NULL,
  refused_at timestamptz NOT NULL
);
