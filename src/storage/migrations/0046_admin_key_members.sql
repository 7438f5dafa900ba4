-- The member who created an admin key, signed in to the dashboard or with such a key: it is refused once they are removed or no
-- administrator any more.
ALTER TABLE admin_key ADD COLUMN member_id text REFERENCES member (id);
CREATE INDEX admin_key_member_id ON admin_key (member_id);
