import type { StorePorts } from '../store-ports.ts';
import { awaitRemoval } from '../await-removal.ts';
import { inTransaction } from '../in-transaction.ts';
import { createNotFound, readAmount } from '../read-input.ts';
import { type PlanStatus, findPlanStatus } from './plan-status.ts';
import type { PlanTerms, PlanTier } from './plan-terms.ts';

/** The plans of organizations as the operator changes them. */
export interface PlanStore {
  /**
   * Subscribes an organization from now on, or changes its plan: usage is kept, the limits are replaced. The terms
   * apply until they are set again. From its first plan on the organization is metered: without a plan it only has
   * its credits.
   */
  setPlan(input: {
    organizationId: string;
    plan: PlanTier;
    terms: PlanTerms;
    /** Whether credits pay for what the plan does not cover; unchanged by default, initially false. */
    overflow?: boolean;
  }): Promise<PlanStatus>;
  /** Ends the plan of an organization that has one. */
  endPlan(organizationId: string): Promise<void>;
  findPlan(organizationId: string): Promise<PlanStatus | undefined>;
}

const SET_PLAN = `
  SELECT plan_set(o.id, $2, $3, $4, $5, $6, $7) AS done FROM organization o WHERE o.id = $1 AND o.removed_at IS NULL`;

export function createPlanStore({
  database,
  windowClock,
}: Pick<StorePorts, 'database' | 'windowClock'>): PlanStore {
  const call = (organizationId: string, values: unknown[]): Promise<void> =>
    inTransaction(database, async (client) => {
      await awaitRemoval(client, organizationId);
      const { rows } = await client.query<{ done: boolean }>({
        text: SET_PLAN,
        values: [organizationId, ...values, windowClock?.now() ?? null],
      });
      if (rows[0]?.done !== true) throw createNotFound('organization');
    });
  const findPlan: PlanStore['findPlan'] = (organizationId) =>
    findPlanStatus(database, organizationId, windowClock);
  return {
    setPlan: async ({ organizationId, plan, terms, overflow }) => {
      const price = readAmount('price', terms.price, 0n);
      const credits = readAmount('credits', terms.credits, 0n);
      const premium = readAmount('premiumWeekly', terms.premiumWeekly, 0n);
      const amounts = [price, credits, premium].map((amount) => amount.toString());
      await call(organizationId, [plan, ...amounts, overflow ?? null]);
      const status = await findPlan(organizationId);
      if (status === undefined) throw createNotFound('plan');
      return status;
    },
    endPlan: (organizationId) => call(organizationId, ['none', null, null, null, null]),
    findPlan,
  };
}
