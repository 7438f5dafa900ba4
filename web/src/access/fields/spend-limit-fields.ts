import { subtractUsd, writeUsd } from '../../parts/format.ts';
import { AMOUNT, type Facts, type ListedField } from './field.ts';

/** Whose spending is limited, as a sentence names it. */
type Whose = 'the key' | 'the member' | 'the project';

/** The limits of what a key, a member, or all keys of a project spend. */
export const spendLimitFields = (whose: Whose) =>
  [
    {
      name: 'limit',
      label: 'Total limit',
      none: 'no limit',
      help: 'The most it may ever spend, in USD; empty for no limit',
      effect: (value, record) => explainLimit({ value, whose, record }),
    },
    recurringLimitField(whose),
  ] as const satisfies readonly ListedField[];

/** The limit of what a key, a member, or all keys of a project or an organization spend per period. */
export const recurringLimitField = (whose: Whose | 'the organization') =>
  ({
    name: 'recurring_limit',
    label: 'Limit per period',
    none: 'no limit',
    help: 'The most it may spend in each hour, day, week or month, in USD',
    effect: (value) => {
      const [amount = '', period = ''] = value.split('/');
      if (value === '') return `What ${whose} spends in a period is not limited.`;
      if (!AMOUNT.test(amount)) return undefined;
      return `Requests beyond ${writeUsd(amount)} per ${period} are refused until the ${period} ends; it begins with the first request that costs something.`;
    },
  }) as const satisfies ListedField;

interface Explained {
  value: string;
  whose: Whose;
  record: Facts | undefined;
}

function explainLimit({ value, whose, record }: Explained): string | undefined {
  if (value === '') return `The total spend of ${whose} is no longer limited.`;
  if (!AMOUNT.test(value)) return undefined;
  if (!record) return `Requests beyond a total of ${writeUsd(value)} are refused.`;
  const { usage: used } = record as { usage: string };
  return subtractUsd(value, used) === '0'
    ? `Every request that costs something is refused from now on: ${writeUsd(used)} are used already.`
    : `Requests beyond ${writeUsd(value)} are refused from now on; ${writeUsd(used)} are used.`;
}
