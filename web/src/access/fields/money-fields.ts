import { addUsd, writeUsd } from '../../parts/format.ts';
import { AMOUNT, type Field, fieldsOf } from './field.ts';

const ENDS =
  'The plan ends. Without credits, requests are no longer metered; with credits, they are paid from these.';

function explainPlan(plan: string, before: unknown): string {
  if (plan === 'none') return ENDS;
  return before === 'none'
    ? `A billing cycle of the plan ${plan} begins now, with the terms that are in force now. Requests are paid from it.`
    : `The plan ${plan} applies with the terms that are in force now. What was used in this billing cycle still counts.`;
}

export const PLAN_FIELDS = fieldsOf(
  '/admin/v1/organizations/{id}/plan',
  {
    name: 'plan',
    label: 'Plan',
    isAlwaysSent: true,
    effect: (value, record) => explainPlan(value, record?.['plan']),
  },
  {
    name: 'overflow',
    label: 'Credits pay beyond the plan',
    effect: (value) =>
      `Requests that the plan does not cover are ${value === 'true' ? 'paid from credits' : 'refused'}. The plan takes the terms that are in force now.`,
  },
);

/** Credits that are added to a balance; null if the organization is not metered. */
export const creditFields = (balance: string | null): readonly Field[] =>
  fieldsOf(
    '/admin/v1/organizations/{id}/credits',
    {
      name: 'amount',
      label: 'Amount in USD',
      effect: (value) => explainCredits(value, balance),
    },
    {
      name: 'grant',
      label: 'Reason',
      none: 'none',
      help: 'Such as invoice-17; each reason is credited only once',
      effect: (value) => (value === '' ? undefined : `If “${value}” was credited before, nothing is added.`),
    },
  );

function explainCredits(amount: string, balance: string | null): string | undefined {
  if (!AMOUNT.test(amount)) return undefined;
  if (balance === null)
    return `From now on the organization is metered: it may spend ${writeUsd(amount)}, and then its requests are refused.`;
  if (balance.startsWith('-')) return `${writeUsd(amount)} are added to the balance of ${writeUsd(balance)}.`;
  return `The balance rises from ${writeUsd(balance)} to ${writeUsd(addUsd([balance, amount]))}.`;
}
