import type { Database, Queryable } from '#storage';
import type { Seal } from '../secrets/seal-answer.ts';
import type { DigestKey } from '../secrets/key-digest.ts';
import { createIdentifier } from '#base';
import { GatewayError } from '#errors';
import { type RoleRule, type Person, findRoleRule } from '../roles/role-rule.ts';
import { DASHBOARD_SESSION, type DashboardSession, createDashboardSecret } from './dashboard-store.ts';
import { findOrganization, assignMember } from './assign-member.ts';
import { RIGHTS } from '../roles/session-role.ts';
import { type Actor, setActor } from '../set-actor.ts';

/** A person that an issuer has just authenticated, in a browser. */
export interface PersonSignIn {
  person: Person;
  rules: readonly RoleRule[];
  /** The state of the request to the issuer; it begins one session only. */
  state: string;
  idToken: string;
  sessionMinutes: number;
  isSecure: boolean;
  userAgent: string;
  requestId: string;
}

interface PersonPorts {
  database: Database;
  digest: DigestKey;
  seal: Seal;
  /** Called after this process has changed data that a snapshot may hold. */
  onChange(change: string): void;
}

const START = `
  INSERT INTO dashboard_session AS s (id, label, role, scopes, organization_id, member_id, digest, sign_in_digest, id_token,
    secure, user_agent, started_at, last_seen_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now(), now(), clock_timestamp() + make_interval(mins => $12))
  ON CONFLICT (sign_in_digest) DO NOTHING RETURNING ${DASHBOARD_SESSION.columns}`;
const REFUSED = `SELECT audit_write('sign_in.refused', $1, NULL, NULL, $2)`;
/** The most groups without a mapping that the audit log records. */
const MOST_GROUPS = 50;
const LONGEST_LABEL = 200;
const LONGEST_USER_AGENT = 300;

/** Begins a session for a person. Throws `role_not_allowed` if no rule gives them a role, which is audited. */
export async function signInPerson(
  ports: PersonPorts,
  signIn: PersonSignIn,
): Promise<{ secret: string; session: DashboardSession }> {
  const { person, rules } = signIn;
  const id = createIdentifier('dash');
  const actor = { actorId: id, requestId: signIn.requestId, person: namePerson(person) };
  const rule = findRoleRule(rules, person);
  if (!rule) {
    await ports.database.transaction((client) => recordRefusal(client, actor, person));
    throw new GatewayError('role_not_allowed', describeRefusal(person));
  }
  const secret = createDashboardSecret();
  let changed: string | undefined;
  const session = await ports.database.transaction(async (client) => {
    await setActor(client, actor);
    const { role } = rule;
    const organizationId =
      role === 'operator' ? null : await findOrganization(client, rule.organization ?? '');
    const memberId =
      role === 'operator' || organizationId === null
        ? null
        : await assignMember(client, { organizationId, person, role });
    changed = memberId ?? undefined;
    const values = [
      id,
      actor.person,
      role,
      RIGHTS[role].scopes,
      organizationId,
      memberId,
      ports.digest(secret),
      ports.digest(signIn.state),
      ports.seal.seal(nameToken(id), signIn.idToken),
      signIn.isSecure,
      cleanText(signIn.userAgent, LONGEST_USER_AGENT),
      signIn.sessionMinutes,
    ];
    const { rows } = await client.query<object>({ text: START, values });
    if (!rows[0]) throw createRepeated();
    return DASHBOARD_SESSION.read(rows[0]);
  });
  if (changed !== undefined) ports.onChange(`member:${changed}`);
  return { secret, session };
}

/** The token that a session began with; undefined if it began otherwise. */
export async function findIdToken(
  { database, seal }: Pick<PersonPorts, 'database' | 'seal'>,
  sessionId: string,
): Promise<string | undefined> {
  const text = 'SELECT id_token FROM dashboard_session WHERE id = $1 AND id_token IS NOT NULL';
  const { rows } = await database.query<{ id_token: Buffer }>({ text, values: [sessionId] });
  return rows[0] && seal.open(nameToken(sessionId), rows[0].id_token);
}

/** As sessions and the audit log show a person. */
function namePerson({ name, email }: Person): string {
  return cleanText(email === undefined || email === name ? name : `${name} <${email}>`, LONGEST_LABEL);
}

function nameToken(sessionId: string): string {
  return `id token of ${sessionId}`;
}

/** Text of others, as PostgreSQL and a terminal can take it. */
function cleanText(text: string, most: number): string {
  return text
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed();
}

async function recordRefusal(client: Queryable, actor: Actor, person: Person): Promise<void> {
  await setActor(client, actor);
  const { issuer, subject, email, groups } = person;
  const shown = groups.slice(0, MOST_GROUPS).map((group) => cleanText(group, LONGEST_LABEL));
  const facts = { issuer, name: person.name, ...(email !== undefined && { email }), groups: shown };
  await client.query({ text: REFUSED, values: [cleanText(subject, LONGEST_LABEL), JSON.stringify(facts)] });
}

function describeRefusal({ groups, email }: Person): string {
  const belongs = groups.length === 0 ? 'in no group' : `in the groups ${groups.slice(0, 5).join(', ')}`;
  const address = email === undefined ? 'without a verified e-mail address' : `with the address ${email}`;
  return `You have no role here: your account is ${belongs}, ${address}. Ask an operator of this gateway for a rule in auth.oidc.access.`;
}

function createRepeated(): GatewayError {
  return new GatewayError('invalid_credential', 'This sign-in was used already. Sign in again.', {
    param: 'state',
  });
}
