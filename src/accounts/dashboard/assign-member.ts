import type { Queryable } from '#storage';
import { createIdentifier } from '#base';
import { GatewayError } from '#errors';
import type { MemberRole } from '../roles/roles.ts';
import type { Person } from '../roles/role-rule.ts';

interface MemberFacts {
  organizationId: string;
  person: Person;
  role: Exclude<MemberRole, 'owner'>;
}

interface MemberRow {
  id: string;
  role: MemberRole;
  removed: boolean;
  issuer: string | null;
}

/** The organization that a rule names by its id, else by its name. Throws `role_not_allowed` unless there is exactly one. */
export async function findOrganization(client: Queryable, wanted: string): Promise<string> {
  const text = `
    SELECT id FROM organization WHERE (id = $1 OR name = $1) AND removed_at IS NULL ORDER BY id <> $1 LIMIT 2`;
  const { rows } = await client.query<{ id: string }>({ text, values: [wanted] });
  const [first, second] = rows;
  if (first && (first.id === wanted || !second)) return first.id;
  throw new GatewayError(
    'role_not_allowed',
    `The rule for you in auth.oidc.access names the organization ${JSON.stringify(wanted)}, ${first ? 'a name that several organizations have: the rule must use an id' : 'which does not exist'}. Ask an operator of this gateway.`,
  );
}

/**
 * The member for a person in an organization, created at the first sign-in. The role follows the issuer at each sign-in,
 * but an owner stays one. A removed person stays removed until added again with the same address.
 */
export async function assignMember(client: Queryable, facts: MemberFacts): Promise<string> {
  const { organizationId, person, role } = facts;
  const { rows } = await client.query({
    text: 'SELECT FROM organization WHERE id = $1 AND removed_at IS NULL FOR NO KEY UPDATE',
    values: [organizationId],
  });
  if (rows.length === 0)
    throw new GatewayError(
      'role_not_allowed',
      'The organization was removed. Ask an operator of this gateway.',
    );
  const known = await findMember(client, facts);
  if (!known) return createMember(client, facts);
  if (known.removed) throw createRemoved();
  await client.query({
    text: `
      UPDATE member SET issuer = $2, issuer_subject = $3, role = CASE role WHEN 'owner' THEN role ELSE $4 END
      WHERE id = $1`,
    values: [known.id, person.issuer, person.subject, role],
  });
  return known.id;
}

/** By the issuer's id, else by an address that no one has signed in with; active members first. */
async function findMember(
  client: Queryable,
  { organizationId, person }: MemberFacts,
): Promise<MemberRow | undefined> {
  const { rows } = await client.query<MemberRow>({
    text: `
      SELECT b.id, b.role, b.removed_at IS NOT NULL AS removed, b.issuer FROM member b
      WHERE b.organization_id = $1 AND (
        (b.issuer = $2 AND b.issuer_subject = $3)
        OR (b.removed_at IS NULL AND b.issuer IS NULL AND lower(b.email) = lower($4)))
      ORDER BY b.removed_at IS NOT NULL, b.issuer IS NULL, b.created_at LIMIT 1`,
    values: [organizationId, person.issuer, person.subject, person.email ?? null],
  });
  return rows[0];
}

async function createMember(
  client: Queryable,
  { organizationId, person, role }: MemberFacts,
): Promise<string> {
  const { name, email, issuer, subject } = person;
  const { rows } = await client.query<{ id: string }>({
    text: `
      WITH created AS (
        INSERT INTO member (id, organization_id, name, email, role, issuer, issuer_subject)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (organization_id, lower(email)) WHERE removed_at IS NULL DO NOTHING RETURNING id, organization_id
      )
      INSERT INTO meter (kind, subject_id, lock_row_id)
      SELECT 'member', created.id, g.id FROM created
      JOIN meter g ON g.kind = 'credits' AND g.subject_id = created.organization_id RETURNING subject_id AS id`,
    values: [createIdentifier('mem'), organizationId, name, email ?? null, role, issuer, subject],
  });
  if (rows[0]) return rows[0].id;
  throw new GatewayError(
    'role_not_allowed',
    `Another account of the issuer has signed in with ${email ?? 'this address'} before. Ask an administrator to remove that member.`,
  );
}

function createRemoved(): GatewayError {
  return new GatewayError(
    'role_not_allowed',
    'You were removed from the organization. An administrator can add you again with your e-mail address.',
  );
}
