import type { StorePorts } from '../store-ports.ts';
import type { PicoUsd } from '#base';
import type { Queryable } from '#storage';
import { createIdentifier } from '#base';
import { GatewayError, createInvalid } from '#errors';
import { type RecordOf, amount, column, defineRecord, ifSet, moment, orNull } from '#storage';
import { awaitRemoval } from '../await-removal.ts';
import { changeRow } from '../change-row.ts';
import { changeInTransaction, inTransaction } from '../in-transaction.ts';
import { type RecurringLimit, readRecurringLimit } from '../meters/recurring-limit.ts';
import { selectRecurring, toRecurring } from '../meters/recurring-usage.ts';
import type { Page } from '../page.ts';
import { createRecords } from '../records.ts';
import { createNotFound, readAmount, readName } from '../read-input.ts';
import { MEMBER_ROLES, type MemberRole } from '../roles/roles.ts';
import { getRow } from '../get-row.ts';

/** What a member may spend over all its keys; `null` if unlimited. */
interface MemberLimits {
  /** All-time. */
  limit: PicoUsd | null;
  recurringLimit: RecurringLimit | null;
}

interface NewMember extends Partial<MemberLimits> {
  organizationId: string;
  name: string;
  email?: string;
  role: MemberRole;
}

interface MemberChanges extends Partial<MemberLimits> {
  name?: string;
  role?: MemberRole;
}

/** Members of organizations as the operator changes them. Changes reach every process at once. */
export interface MemberStore {
  addMember(input: NewMember): Promise<Member>;
  getMember(memberId: string): Promise<Member>;
  listMembers(filter: { organizationId?: string; memberId?: string } & Page): Promise<Member[]>;
  /** All changes or none. An organization keeps its last owner; past usage is kept. */
  updateMember(memberId: string, changes: MemberChanges): Promise<Member>;
  /** Permanently disables its keys, and with them their session tokens; returns the ids of the keys. */
  removeMember(memberId: string): Promise<{ disabledKeyIds: string[] }>;
}

type MemberStorePorts = Pick<StorePorts, 'database' | 'windowClock' | 'onChange'>;

const ADD_MEMBER = `
  WITH created AS (
    INSERT INTO member (id, organization_id, name, email, role, recurring_lim, recurring_period)
    SELECT $1, id, $3, $4, $5, $7, $8 FROM organization
    WHERE id = $2 AND removed_at IS NULL FOR KEY SHARE
    ON CONFLICT (organization_id, lower(email)) WHERE removed_at IS NULL DO NOTHING RETURNING id, organization_id
  )
  INSERT INTO meter (kind, subject_id, lim, lock_row_id)
  SELECT 'member', created.id, $6, g.id FROM created JOIN meter g ON g.kind = 'credits' AND g.subject_id = created.organization_id
  RETURNING subject_id AS id`;

const RECURRING = selectRecurring({
  kind: 'member_recurring',
  subject: 'b.id',
  limit: 'b.recurring_lim',
  period: 'b.recurring_period',
});

const MEMBER = defineRecord(
  {
    id: column<string>('b.id'),
    organizationId: column<string>('b.organization_id'),
    name: column<string>('b.name'),
    email: ifSet(column<string>('b.email')),
    role: column<MemberRole>('b.role'),
    /** All that its keys ever used. */
    usage: amount('m.used'),
    limit: orNull(amount('m.lim')),
    /** Its keys that are not deleted. */
    keys: column<number>(
      '(SELECT count(*)::int FROM api_key k WHERE k.member_id = b.id AND k.deleted_at IS NULL)',
    ),
    createdAt: moment('b.created_at'),
  },
  { columns: RECURRING.columns, read: toRecurring },
);

/** A person of an organization, as listed. */
export type Member = RecordOf<typeof MEMBER>;

const MEMBERS = {
  what: 'member',
  type: MEMBER,
  from: `member b JOIN meter m ON m.kind = 'member' AND m.subject_id = b.id ${RECURRING.join}`,
  where: 'b.removed_at IS NULL',
  table: 'member b',
  alias: 'b',
  searched: `concat_ws(' ', b.name, b.email)`,
};

const LOCK_MEMBER = 'SELECT FROM member WHERE id = $1 FOR NO KEY UPDATE';

/** Concurrent changes of the two limits keep each other's. */
const LOCK_LIMITS = `
  SELECT FROM meter WHERE id = (SELECT lock_row_id FROM meter WHERE kind = 'member' AND subject_id = $1)
  FOR NO KEY UPDATE`;

type ReadPorts = Pick<MemberStorePorts, 'database' | 'windowClock'>;

export function createMemberStore(ports: MemberStorePorts): MemberStore {
  const { database } = ports;
  return {
    addMember: async (input) => getMember(ports, await addMember(database, input)),
    getMember: (memberId) => getMember(ports, memberId),
    listMembers: (filter) => listMembers(ports, filter),
    updateMember: async (memberId, changes) => {
      await changeInTransaction(ports, (all) => changeMember(all, memberId, changes));
      return getMember(ports, memberId);
    },
    removeMember: (memberId) => removeMember(ports, memberId),
  };
}

function listMembers(
  { database, windowClock }: ReadPorts,
  { organizationId, memberId, ...page }: Parameters<MemberStore['listMembers']>[0],
): Promise<Member[]> {
  const filters = { 'b.organization_id =': organizationId, 'b.id =': memberId };
  return createRecords(database, MEMBERS).list(filters, page, [windowClock?.now() ?? null]);
}

function getMember({ database, windowClock }: ReadPorts, id: string): Promise<Member> {
  return createRecords(database, MEMBERS).get(id, [windowClock?.now() ?? null]);
}

async function changeMember(
  ports: MemberStorePorts,
  memberId: string,
  { name, role, ...limits }: MemberChanges,
): Promise<void> {
  const { database, windowClock } = ports;
  await awaitRemoval(database, memberId);
  if (role !== undefined) await keepOwner(database, memberId, readRole(role));
  await changeRow(ports, { ...MEMBERS, id: memberId }, [
    name !== undefined && ['name = $', readName('name', name)],
    role !== undefined && ['role = $', role],
  ]);
  if (limits.limit === undefined && limits.recurringLimit === undefined) return;
  for (const text of [LOCK_MEMBER, LOCK_LIMITS]) await database.query({ text, values: [memberId] });
  const all = { ...(await getMember(ports, memberId)), ...limits };
  const { rows } = await database.query<{ done: boolean }>({
    text: 'SELECT member_budget_set($1, $2, $3, $4, $5) AS done',
    values: [memberId, ...encodeLimits(all), windowClock?.now() ?? null],
  });
  if (rows[0]?.done !== true) throw createNotFound('member');
}

async function addMember(database: Queryable, input: NewMember): Promise<string> {
  const { organizationId, name, email, role } = input;
  const id = createIdentifier('mem');
  const address = email === undefined ? null : readEmail(email);
  const values = [
    id,
    organizationId,
    readName('name', name),
    address,
    readRole(role),
    ...encodeLimits(input),
  ];
  const { rows } = await database.query({ text: ADD_MEMBER, values });
  if (rows.length > 0) return id;
  const { rows: organizations } = await database.query({
    text: 'SELECT FROM organization WHERE id = $1 AND removed_at IS NULL',
    values: [organizationId],
  });
  throw organizations.length === 0
    ? createNotFound('organization')
    : createInvalid('email', 'an address that no other member of the organization has');
}

async function removeMember(
  { database, onChange }: MemberStorePorts,
  memberId: string,
): Promise<{ disabledKeyIds: string[] }> {
  const disabledKeyIds = await inTransaction(database, async (client) => {
    await keepOwner(client, memberId, undefined);
    await client.query({ text: 'UPDATE member SET removed_at = now() WHERE id = $1', values: [memberId] });
    const { rows } = await client.query<{ id: string }>({
      text: `
        UPDATE api_key SET disabled_at = COALESCE(disabled_at, now())
        WHERE member_id = $1 AND deleted_at IS NULL RETURNING id`,
      values: [memberId],
    });
    return rows.map(({ id }) => id);
  });
  onChange(`member:${memberId}`);
  return { disabledKeyIds };
}

/** Throws if there is no such member, or if the change would leave no owner. Locks the organization. */
async function keepOwner(client: Queryable, memberId: string, next: MemberRole | undefined): Promise<void> {
  await client.query({
    text: `
      SELECT FROM organization o WHERE o.id = (SELECT organization_id FROM member WHERE id = $1) FOR NO KEY UPDATE`,
    values: [memberId],
  });
  const found = await getRow<{ role: MemberRole; other_owners: number }>(client, 'member', {
    text: `
      SELECT b.role, (
        SELECT count(*)::int FROM member s
        WHERE s.organization_id = b.organization_id AND s.id <> b.id AND s.role = 'owner' AND s.removed_at IS NULL
      ) AS other_owners
      FROM member b WHERE b.id = $1 AND b.removed_at IS NULL`,
    values: [memberId],
  });
  if (found.role === 'owner' && next !== 'owner' && found.other_owners === 0) {
    throw new GatewayError(
      'invalid_request',
      'this is the last owner of its organization; make another member an owner first',
      { param: 'role' },
    );
  }
}

function readRole(role: MemberRole): MemberRole {
  if (!MEMBER_ROLES.includes(role)) throw createInvalid('role', `one of ${MEMBER_ROLES.join(', ')}`);
  return role;
}

function readEmail(text: string): string {
  const email = text.trim();
  if (email.length > 254 || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) || !email.isWellFormed())
    throw createInvalid('email', 'an e-mail address');
  return email;
}

/** The all-time limit, the recurring limit and its period as the database takes them. */
function encodeLimits({ limit = null, recurringLimit = null }: Partial<MemberLimits>): (string | null)[] {
  const recurring = recurringLimit && readRecurringLimit(recurringLimit);
  return [
    limit === null ? null : readAmount('limit', limit, 0n).toString(),
    recurring?.amount.toString() ?? null,
    recurring?.period ?? null,
  ];
}
