-- What ranks agents without summing up each: most have one line, which the index by cost finds, and the others are listed here.

-- Agents of an organization with more than one line in `usage_day_agent_name`, or that had more.
CREATE TABLE usage_repeated_agent (
  organization_id text NOT NULL,
  agent_id text NOT NULL,
  PRIMARY KEY (organization_id, agent_id)
);
INSERT INTO usage_repeated_agent
SELECT organization_id, agent_id FROM usage_day_agent_name WHERE agent_id <> '' GROUP BY 1, 2 HAVING count(*) > 1;

CREATE INDEX usage_day_agent_name_cost ON usage_day_agent_name (organization_id, ranked_cost DESC) WHERE agent_id <> '';
