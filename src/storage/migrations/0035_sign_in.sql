-- Sign-in by OpenID Connect: a session has a role, and unless it is an operator's, it is the session of a member.

-- Who the member is for the issuer; absent if it never signed in.
ALTER TABLE member
  ADD COLUMN issuer text,
  ADD COLUMN issuer_subject text,
  ADD CONSTRAINT member_identity CHECK ((issuer IS NULL) = (issuer_subject IS NULL));
CREATE UNIQUE INDEX member_issuer_subject ON member (organization_id, issuer, issuer_subject) WHERE removed_at IS NULL;

ALTER TABLE dashboard_session
  -- Absent for sessions by a link or an admin key, which have scopes of their own.
  ADD COLUMN role text CHECK (role IN ('operator', 'admin', 'viewer', 'member')),
  ADD COLUMN member_id text REFERENCES member (id),
  -- Of the sign-in it began with: a second session from the same one is refused.
  ADD COLUMN sign_in_digest bytea UNIQUE CHECK (octet_length(sign_in_digest) = 32),
  -- The issuer's token, encrypted, to sign out there.
  ADD COLUMN id_token bytea,
  ADD CONSTRAINT dashboard_session_member CHECK ((member_id IS NOT NULL) = (COALESCE(role, 'operator') <> 'operator'));
CREATE INDEX dashboard_session_member_id ON dashboard_session (member_id);

DROP TRIGGER dashboard_session_audited ON dashboard_session;
CREATE TRIGGER dashboard_session_audited AFTER INSERT OR UPDATE OF started_at, ended_at OR DELETE ON dashboard_session
  FOR EACH ROW EXECUTE FUNCTION audit_change('dashboard_session', 'id', 'hide:link_digest', 'hide:digest',
    'hide:sign_in_digest', 'hide:id_token');

-- The person, where the actor is the session of somebody who signed in: the name is kept longer than the session.
ALTER TABLE audit_log ADD COLUMN person text;
CREATE OR REPLACE FUNCTION audit_write(p_action text, p_subject text, p_organization text, p_before jsonb, p_after jsonb)
RETURNS void LANGUAGE sql VOLATILE AS $$
  INSERT INTO audit_log (actor, person, request_id, action, subject_id, organization_id, before, after)
  VALUES (audit_actor(), NULLIF(current_setting('sluice.person', true), ''),
    NULLIF(current_setting('sluice.request_id', true), ''), p_action, p_subject, p_organization, p_before, p_after);
$$;
