import { Moment, Usd, UsdOf } from '../parts/values.tsx';
import type { Member } from './access-queries.ts';

type Usage = Pick<Member, 'recurring_limit' | 'recurring_usage'>;

/** What is used in the current period of a limit, and when it ends; a list of facts has no line without one. */
export const listPeriod = ({ recurring_usage: usage }: Usage) =>
  usage
    ? [
        [
          'In this period',
          <>
            <Usd exact={usage.used} />, until <Moment iso={usage.resets_at} />
          </>,
        ] as const,
      ]
    : [];

/** The same in a cell: 2 of 10 per day. */
export function PeriodCell({ of: { recurring_limit: limit, recurring_usage: usage } }: { of: Usage }) {
  if (!limit) return 'no limit';
  return (
    <>
      <UsdOf part={usage?.used ?? '0'} whole={limit.amount} /> per {limit.period}
    </>
  );
}
