import type { PicoUsd } from '#base';
import { type RecordOf, amount, column, defineRecord, ifSet, moment } from '#storage';
import type { StorePorts } from '../store-ports.ts';
import type { Page } from '../page.ts';
import { addConditions } from '../page.ts';
import { BUDGETS, type BudgetKind } from './select-budgets.ts';

const BUDGET = defineRecord({
  /** Its kind and its subject. */
  id: column<string>('id'),
  kind: column<BudgetKind>('kind'),
  /** The key, member or organization. */
  subjectId: column<string>('subject_id'),
  name: column<string>('name'),
  organizationId: column<string>('organization_id'),
  projectId: ifSet(column<string>('project_id')),
  memberId: ifSet(column<string>('member_id')),
  limit: amount('lim'),
  usage: amount('used'),
  /** Reserved for requests that have not ended. */
  held: amount('held'),
  left: amount('remaining'),
  /** Per day, at the present pace. */
  pace: amount('pace'),
  /** For a limit that renews, once a period has begun. */
  periodStart: ifSet(moment('starts_at')),
  periodEnd: ifSet(moment('ends_at')),
  /** When nothing is left at this pace; absent if not within a year, or if it or the plan that pays first renews before. */
  runsOutAt: ifSet(moment('runs_out_at')),
  /** For credits next to a plan, which pays first: when the plan renews. */
  planRenewsAt: ifSet(moment('plan_renews')),
  /** When it last refused a request that needed more than was left; absent once the limit has changed. */
  refusedAt: ifSet(moment('refused_at')),
});

/** A limit in USD that is in force, and how fast it is used. */
export type Budget = RecordOf<typeof BUDGET>;

interface BudgetFilter extends Page {
  organizationId?: string;
  projectId?: string;
  memberId?: string;
}

/** What is reserved for requests that have not ended. */
export interface Holds {
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
      const text = `${BUDGETS(conditions)} SELECT ${BUDGET.columns} FROM paced ${from} ORDER BY ends, id LIMIT $${values.push(limit)}`;
      const { rows } = await database.query<object>({ text, values });
      return rows.map((row) => BUDGET.read(row));
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
