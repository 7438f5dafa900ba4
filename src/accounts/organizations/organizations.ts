import { createIdentifier } from '#base';
import { epochMs } from '#storage';
import type { StorePorts } from '../store-ports.ts';
import type { PlanTier } from '../plans/plan-terms.ts';
import type { Organization } from './account-tree.ts';
import { awaitRemoval } from '../await-removal.ts';
import { changeRow } from '../change-row.ts';
import { changeInTransaction } from '../in-transaction.ts';
import type { RecurringLimit } from '../ledger/recurring-limit.ts';
import { type RecurringRow, toRecurring } from '../ledger/recurring-usage.ts';
import { type RateLimitChange, assignRateLimits, parseRateLimits } from '../limits/rate-limits.ts';
import { type Page, composeList } from '../page.ts';
import { readName } from '../read-input.ts';
import { getRow } from '../get-row.ts';
import { type RemovedOrganization, removeOrganization } from './remove-account.ts';
import { changeSharedLimit, selectSharedLimit } from './shared-limit.ts';

interface OrganizationRow extends RecurringRow {
  id: string;
  name: string;
  created_at: number;
  used: string;
  lim: string | null;
  rate_limits: unknown;
  plan_used: string;
  plan: PlanTier | null;
}

const CREATE_ORGANIZATION = `
  WITH balance AS (INSERT INTO meter (kind, subject_id) VALUES ('credits', $1))
  INSERT INTO organization (id, name) VALUES ($1, $2)`;

const SHARED_LIMIT = selectSharedLimit('organization_recurring', 'o.id');

const READ_ORGANIZATIONS = `
  SELECT o.id, o.name, ${epochMs('o.created_at')} AS created_at,
    m.used::text AS used, m.lim::text AS lim, o.rate_limits, ${SHARED_LIMIT.columns},
    (SELECT COALESCE(sum(p.used), 0) FROM meter p WHERE p.kind = 'plan' AND p.subject_id = o.id)::text AS plan_used,
    (SELECT s.plan FROM subscription s WHERE s.organization_id = o.id) AS plan
  FROM organization o JOIN meter m ON m.kind = 'credits' AND m.subject_id = o.id ${SHARED_LIMIT.join}`;

const GET_ORGANIZATION = `${READ_ORGANIZATIONS} WHERE o.id = $2 AND o.removed_at IS NULL`;

const EXISTS = 'SELECT FROM organization WHERE id = $1 AND removed_at IS NULL';

const LIST_ORGANIZATIONS = {
  select: `${READ_ORGANIZATIONS} WHERE o.removed_at IS NULL`,
  table: 'organization o',
  alias: 'o',
  searched: 'o.name',
};

interface OrganizationChanges {
  name?: string;
  rateLimits?: RateLimitChange;
  recurringLimit?: RecurringLimit | null;
}

export interface OrganizationStore {
  createOrganization(name: string): Promise<Organization>;
  getOrganization(organizationId: string): Promise<Organization>;
  listOrganizations(filter?: { organizationId?: string } & Page): Promise<Organization[]>;
  updateOrganization(organizationId: string, changes: OrganizationChanges): Promise<Organization>;
  removeOrganization(organizationId: string): Promise<RemovedOrganization>;
}

export function createOrganizationStore(
  ports: Pick<StorePorts, 'database' | 'onChange' | 'windowClock'>,
): OrganizationStore {
  const { database } = ports;
  const now = (): number | null => ports.windowClock?.now() ?? null;
  const getOrganization = async (organizationId: string): Promise<Organization> => {
    const statement = { text: GET_ORGANIZATION, values: [now(), organizationId] };
    return toOrganization(await getRow<OrganizationRow>(database, 'organization', statement));
  };
  return {
    createOrganization: async (name) => {
      const id = createIdentifier('org');
      await database.query({ text: CREATE_ORGANIZATION, values: [id, readName('name', name)] });
      return getOrganization(id);
    },
    getOrganization,
    listOrganizations: async ({ organizationId, ...page } = {}) => {
      const filters = { 'o.id =': organizationId };
      const statement = composeList({ ...LIST_ORGANIZATIONS, values: [now()], filters }, page);
      const { rows } = await database.query<OrganizationRow>(statement);
      return rows.map(toOrganization);
    },
    updateOrganization: async (id, { name, rateLimits, recurringLimit }) => {
      await changeInTransaction(ports, async (all) => {
        if (recurringLimit !== undefined) await awaitRemoval(all.database, id);
        await changeRow(all, { table: 'organization', id }, [
          name !== undefined && ['name = $', readName('name', name)],
          rateLimits !== undefined && assignRateLimits(rateLimits),
        ]);
        if (recurringLimit === undefined) return;
        await getRow(all.database, 'organization', { text: EXISTS, values: [id] });
        await changeSharedLimit(
          all,
          { kind: 'organization_recurring', id, organizationId: id },
          recurringLimit,
        );
      });
      return getOrganization(id);
    },
    removeOrganization: (id) => removeOrganization(ports, id),
  };
}

function toOrganization(row: OrganizationRow): Organization {
  const used = BigInt(row.used);
  const rateLimits = parseRateLimits(row.rate_limits);
  const organization: Organization = {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    usage: used + BigInt(row.plan_used),
    plan: row.plan ?? 'none',
    rateLimits,
    ...toRecurring(row),
  };
  if (row.lim !== null) organization.balance = BigInt(row.lim) - used;
  return organization;
}
