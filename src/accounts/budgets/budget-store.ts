import type { PicoUsd } from '#base';
import type { StorePorts } from '../store-ports.ts';
import type { Page } from '../page.ts';
import { addConditions } from '../page.ts';
import { BUDGETS, type BudgetKind } from './select-budgets.ts';

/** A limit in USD that is in force, and how fast it is used. */
export interface Budget {
  /** Its kind and its subject. */
  id: string;
  kind: BudgetKind;
  /** The key, member or organization. */
  subjectId: string;
  name: string;
  organizationId: string;
  projectId?: string;
  memberId?: string;
  limit: PicoUsd;
  usage: PicoUsd;
  /** Reserved for requests that have not ended. */
  held: PicoUsd;
  left: PicoUsd;
  /** Per day, at the present pace. */
  pace: PicoUsd;
  /** Of a limit that renews, once a period has begun. Times are milliseconds since the Unix epoch. */
  periodStart?: number;
  periodEnd?: number;
  /** When nothing is left at this pace; absent if not within a year, or if it or the plan that pays first renews before. */
  runsOutAt?: number;
  /** Of credits beside a plan, which pays first: when it renews. */
  planRenewsAt?: number;
  /** When it last refused a request that needed more than was left; absent once the limit has changed. */
  refusedAt?: number;
}

interface BudgetFilter extends Page {
  organizationId?: string;
  projectId?: string;
  memberId?: string;
}

/** What is reserved for requests that have not ended. */
interface Holds {
  amount: PicoUsd;
  requests: number;
  /** What processes hold in advance for the next requests of busy keys. */
  leased: PicoUsd;
}

export interface BudgetStore {
  /** Those that run out first at their present pace come first. */
  listBudgets(filter: BudgetFilter): Promise<Budget[]>;
  sumHolds(filter: Omit<BudgetFilter, keyof Page>): Promise<Holds>;
}

interface StoredBudget {
  id: string;
  kind: BudgetKind;
  subject_id: string;
  name: string;
  organization_id: string;
  project_id: string | null;
  member_id: string | null;
  lim: string;
  used: string;
  held: string;
  remaining: string;
  pace: string;
  period_start: number | null;
  period_end: number | null;
  runs_out_at: number | null;
  plan_renews: number | null;
  refused_at: number | null;
}

const USUAL_LIMIT = 100;

export function createBudgetStore({
  database,
  windowClock,
}: Pick<StorePorts, 'database' | 'windowClock'>): BudgetStore {
  return {
    listBudgets: async ({ after, limit = USUAL_LIMIT, ...filter }) => {
      const values: unknown[] = [windowClock?.now() ?? null, filter.organizationId ?? null];
      const conditions = addConditions(values, {
        'organization_id =': filter.organizationId,
        'project_id =': filter.projectId,
        'member_id =': filter.memberId,
      });
      const from =
        after === undefined
          ? ''
          : `WHERE (ends, id) > (SELECT ends, id FROM paced WHERE id = $${values.push(after)})`;
      const text = `${BUDGETS(conditions)} SELECT * FROM paced ${from} ORDER BY ends, id LIMIT $${values.push(limit)}`;
      const { rows } = await database.query<StoredBudget>({ text, values });
      return rows.map(toBudget);
    },
    // Each is looked up by its id: `LIMIT` prevents a join of every key with every hold, and `IS TRUE` an index scan by kind.
    sumHolds: async (filter) => {
      const values: unknown[] = [];
      const conditions = addConditions(values, {
        'p.organization_id =': filter.organizationId,
        'p.id =': filter.projectId,
        'k.member_id =': filter.memberId,
      });
      const { rows } = await database.query<{ amount: string; requests: number; leased: string }>({
        text: `SELECT COALESCE(sum(h.amount) FILTER (WHERE NOT h.lease), 0)::text AS amount,
            (count(*) FILTER (WHERE NOT h.lease))::float8 AS requests,
            COALESCE(sum(h.amount) FILTER (WHERE h.lease), 0)::text AS leased
          FROM hold h
          CROSS JOIN LATERAL (SELECT subject_id FROM meter WHERE id = ANY (h.meter_ids) AND (kind = 'key') IS TRUE LIMIT 1) AS m
          CROSS JOIN LATERAL (SELECT project_id, member_id FROM api_key WHERE id = m.subject_id LIMIT 1) AS k
          CROSS JOIN LATERAL (SELECT id, organization_id FROM project WHERE id = k.project_id LIMIT 1) AS p
          WHERE true${conditions}`,
        values,
      });
      const [sum] = rows;
      return {
        amount: BigInt(sum?.amount ?? 0),
        requests: sum?.requests ?? 0,
        leased: BigInt(sum?.leased ?? 0),
      };
    },
  };
}

function toBudget(row: StoredBudget): Budget {
  return {
    id: row.id,
    kind: row.kind,
    subjectId: row.subject_id,
    name: row.name,
    organizationId: row.organization_id,
    limit: BigInt(row.lim),
    usage: BigInt(row.used),
    held: BigInt(row.held),
    left: BigInt(row.remaining),
    pace: BigInt(row.pace),
    ...(row.project_id !== null && { projectId: row.project_id }),
    ...(row.member_id !== null && { memberId: row.member_id }),
    ...(row.period_start !== null && { periodStart: row.period_start }),
    ...(row.period_end !== null && { periodEnd: row.period_end }),
    ...(row.runs_out_at !== null && { runsOutAt: row.runs_out_at }),
    ...(row.plan_renews !== null && { planRenewsAt: row.plan_renews }),
    ...(row.refused_at !== null && { refusedAt: row.refused_at }),
  };
}
