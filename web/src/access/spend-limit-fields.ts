import { subtractUsd } from '../parts/format.ts';
import { AMOUNT, type Facts, type Field } from './field.ts';

/** Whose spending is limited, as a sentence names it. */
type Whose = 'the key' | 'the member';

/** The limits of what a key or a member spends. */
export const spendLimitFields = (whose: Whose) =>
  [
    {
      name: 'limit',
      label: 'Limit in all',
      kind: 'usd',
      none: 'no limit',
      help: 'The most it may ever spend, in USD; empty for no limit',
      effect: (value, record) => explainLimit({ value, whose, record }),
    },
    {
      name: 'recurring_limit',
      label: 'Limit per period',
      kind: 'recurring',
      none: 'no limit',
      help: 'The most it may spend in each hour, day, week or month, in USD',
      effect: (value) => {
        const [amount = '', period = ''] = value.split('/');
        return value === ''
          ? `What ${whose} spends in a period is not limited.`
          : `Requests beyond ${amount} USD per ${period} are refused until the ${period} ends; it begins with the first request that costs something.`;
      },
    },
  ] as const satisfies readonly Field[];

interface Explained {
  value: string;
  whose: Whose;
  record: Facts | undefined;
}

function explainLimit({ value, whose, record }: Explained): string {
  if (value === '') return `What ${whose} spends in all is no longer limited.`;
  if (!record) return `Requests beyond ${value} USD in all are refused.`;
  if (!AMOUNT.test(value)) return '';
  const { usage: used } = record as { usage: string };
  return subtractUsd(value, used) === '0'
    ? `Every request that costs something is refused from now on: ${used} USD are used already.`
    : `Requests beyond ${value} USD are refused from now on; ${used} USD are used.`;
}
