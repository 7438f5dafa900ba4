-- Sums per day by one name of which there are many, with tags and the names of which there are few. What has no such name is few
-- lines, though it is most requests.

CREATE TABLE usage_day_tag_agent (
  LIKE usage_day_tag INCLUDING DEFAULTS INCLUDING GENERATED,
  agent_id text NOT NULL DEFAULT '',
  parent_agent_id text NOT NULL DEFAULT ''
);
CREATE TABLE usage_day_tag_parent (
  LIKE usage_day_tag INCLUDING DEFAULTS INCLUDING GENERATED,
  parent_agent_id text NOT NULL DEFAULT ''
);
CREATE TABLE usage_day_tag_user (
  LIKE usage_day_tag INCLUDING DEFAULTS INCLUDING GENERATED,
  end_user_id text NOT NULL DEFAULT '',
  session_token_id text NOT NULL DEFAULT ''
);
CREATE TABLE usage_day_tag_token (
  LIKE usage_day_tag INCLUDING DEFAULTS INCLUDING GENERATED,
  session_token_id text NOT NULL DEFAULT ''
);

CREATE INDEX usage_day_tag_agent_day ON usage_day_tag_agent (organization_id, day);
CREATE INDEX usage_day_tag_agent_agent ON usage_day_tag_agent (agent_id);
CREATE INDEX usage_day_tag_parent_day ON usage_day_tag_parent (organization_id, day);
CREATE INDEX usage_day_tag_parent_parent ON usage_day_tag_parent (parent_agent_id);
CREATE INDEX usage_day_tag_user_day ON usage_day_tag_user (organization_id, day);
CREATE INDEX usage_day_tag_user_user ON usage_day_tag_user (end_user_id);
CREATE INDEX usage_day_tag_token_day ON usage_day_tag_token (organization_id, day);

-- Their days are summed up in the background; reports read hours until then.
INSERT INTO usage_open SELECT DISTINCT day FROM usage_day ON CONFLICT DO NOTHING;
