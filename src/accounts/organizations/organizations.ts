import { createIdentifier } from '#base';
import { type RecordOf, amount, column, defineRecord, ifSet, moment } from '#storage';
import type { StorePorts } from '../store-ports.ts';
import type { PlanTier } from '../plans/plan-terms.ts';
import { awaitRemoval } from '../await-removal.ts';
import { changeRow } from '../change-row.ts';
import { changeInTransaction } from '../in-transaction.ts';
import type { RecurringLimit } from '../meters/recurring-limit.ts';
import { toRecurring } from '../meters/recurring-usage.ts';
import { type RateLimitChange, assignRateLimits, parseRateLimits } from '../limits/rate-limits.ts';
import type { Page } from '../page.ts';
import { createRecords } from '../records.ts';
import { readName } from '../read-input.ts';
import { getRow } from '../get-row.ts';
import { type RemovedOrganization, removeOrganization } from './remove-account.ts';
import { changeSharedLimit, selectSharedLimit } from './shared-limit.ts';

const CREATE_ORGANIZATION = `
  WITH balance AS (INSERT INTO meter (kind, subject_id) VALUES ('credits', $1))
  INSERT INTO organization (id, name) VALUES ($1, $2)`;

const SHARED_LIMIT = selectSharedLimit('organization_recurring', 'o.id');

const ORGANIZATION = defineRecord(
  {
    id: column<string>('o.id'),
    name: column<string>('o.name'),
    createdAt: moment('o.created_at'),
    /** All it ever used, of plans and of credits. */
    usage: amount(
      `m.used + (SELECT COALESCE(sum(p.used), 0) FROM meter p WHERE p.kind = 'plan' AND p.subject_id = o.id)`,
    ),
    plan: column<PlanTier | 'none'>(
      `COALESCE((SELECT s.plan FROM subscription s WHERE s.organization_id = o.id), 'none')`,
    ),
    /** Its remaining credits; absent while it is not metered. */
    balance: ifSet(amount('m.lim - m.used')),
    /** The limits of all its keys together. */
    rateLimits: column('o.rate_limits', parseRateLimits),
  },
  { columns: SHARED_LIMIT.columns, read: toRecurring },
);

/** The unit of billing. */
export type Organization = RecordOf<typeof ORGANIZATION>;

const EXISTS = 'SELECT FROM organization WHERE id = $1 AND removed_at IS NULL';

const ORGANIZATIONS = {
  what: 'organization',
  type: ORGANIZATION,
  from: `organization o JOIN meter m ON m.kind = 'credits' AND m.subject_id = o.id ${SHARED_LIMIT.join}`,
  where: 'o.removed_at IS NULL',
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
  const records = createRecords(database, ORGANIZATIONS);
  const now = (): [number | null] => [ports.windowClock?.now() ?? null];
  const getOrganization = (id: string): Promise<Organization> => records.get(id, now());
  return {
    createOrganization: async (name) => {
      const id = createIdentifier('org');
      await database.query({ text: CREATE_ORGANIZATION, values: [id, readName('name', name)] });
      return getOrganization(id);
    },
    getOrganization,
    listOrganizations: ({ organizationId, ...page } = {}) =>
      records.list({ 'o.id =': organizationId }, page, now()),
    updateOrganization: async (id, { name, rateLimits, recurringLimit }) => {
      await changeInTransaction(ports, async (all) => {
        if (recurringLimit !== undefined) await awaitRemoval(all.database, id);
        await changeRow(all, { ...ORGANIZATIONS, id }, [
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
