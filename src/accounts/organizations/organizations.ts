import { createIdentifier } from '#base';
import type { StorePorts } from '../store-ports.ts';
import type { PlanTier } from '../plans/plan-terms.ts';
import type { Organization } from './account-tree.ts';
import { changeRow } from '../change-row.ts';
import { type RateLimitChange, assignRateLimits, parseRateLimits } from '../limits/rate-limits.ts';
import { type Page, composeList } from '../page.ts';
import { readName } from '../read-input.ts';
import { getRow } from '../get-row.ts';

interface OrganizationRow {
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
  INSERT INTO organization (id, name) VALUES ($1, $2)
  RETURNING id, name, round(extract(epoch FROM created_at) * 1000)::float8 AS created_at, '0' AS used, NULL AS lim,
    rate_limits, '0' AS plan_used, NULL AS plan`;

const READ_ORGANIZATIONS = `
  SELECT o.id, o.name, round(extract(epoch FROM o.created_at) * 1000)::float8 AS created_at,
    m.used::text AS used, m.lim::text AS lim, o.rate_limits,
    (SELECT COALESCE(sum(p.used), 0) FROM meter p WHERE p.kind = 'plan' AND p.subject_id = o.id)::text AS plan_used,
    (SELECT s.plan FROM subscription s WHERE s.organization_id = o.id) AS plan
  FROM organization o JOIN meter m ON m.kind = 'credits' AND m.subject_id = o.id`;

const GET_ORGANIZATION = `${READ_ORGANIZATIONS} WHERE o.id = $1`;

const LIST_ORGANIZATIONS = {
  select: `${READ_ORGANIZATIONS} WHERE true`,
  table: 'organization',
  alias: 'o',
  searched: 'o.name',
};

export interface OrganizationChanges {
  name?: string;
  rateLimits?: RateLimitChange;
}

export interface OrganizationStore {
  createOrganization(name: string): Promise<Organization>;
  getOrganization(organizationId: string): Promise<Organization>;
  listOrganizations(page?: Page): Promise<Organization[]>;
  updateOrganization(organizationId: string, changes: OrganizationChanges): Promise<Organization>;
}

export function createOrganizationStore(ports: Pick<StorePorts, 'database' | 'onChange'>): OrganizationStore {
  const { database } = ports;
  const getOrganization = async (organizationId: string): Promise<Organization> => {
    const statement = { text: GET_ORGANIZATION, values: [organizationId] };
    return toOrganization(await getRow<OrganizationRow>(database, 'organization', statement));
  };
  return {
    createOrganization: async (name) => {
      const values = [createIdentifier('org'), readName('name', name)];
      const { rows } = await database.query<OrganizationRow>({ text: CREATE_ORGANIZATION, values });
      return rows.map(toOrganization)[0] as Organization;
    },
    getOrganization,
    listOrganizations: async (page: Page = {}) => {
      const { rows } = await database.query<OrganizationRow>(composeList(LIST_ORGANIZATIONS, page));
      return rows.map(toOrganization);
    },
    updateOrganization: async (id, { name, rateLimits }) => {
      await changeRow(ports, { table: 'organization', id }, [
        name !== undefined && ['name = $', readName('name', name)],
        rateLimits !== undefined && assignRateLimits(rateLimits),
      ]);
      return getOrganization(id);
    },
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
  };
  if (row.lim !== null) organization.balance = BigInt(row.lim) - used;
  return organization;
}
