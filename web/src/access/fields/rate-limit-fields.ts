import { type ListedField, fieldsOf } from './field.ts';
import { recurringLimitField } from './spend-limit-fields.ts';

const rate = (unit: string, refused: string): Omit<ListedField, 'name' | 'label'> => ({
  unit,
  none: 'no limit',
  effect: (value) =>
    value === ''
      ? undefined
      : `${refused} beyond ${Number(value).toLocaleString('en-US')} are refused with status 429.`,
});

/** The rate limits of a key or an organization. */
export const RATE_LIMIT_FIELDS = [
  {
    name: 'rate_limits.requests_per_minute',
    label: 'Requests per minute',
    ...rate('in any 60 seconds', 'Requests in any 60 seconds'),
  },
  {
    name: 'rate_limits.tokens_per_minute',
    label: 'Tokens per minute',
    ...rate('in any 60 seconds', 'Tokens in any 60 seconds'),
  },
  {
    name: 'rate_limits.concurrency',
    label: 'Concurrent requests',
    ...rate('at once', 'Requests at once'),
  },
] as const satisfies readonly ListedField[];

/** What an organization is called, and the limits that all its keys share. */
export const ORGANIZATION_FIELDS = fieldsOf(
  '/admin/v1/organizations/{id}',
  { name: 'name', label: 'Name' },
  recurringLimitField('the organization'),
  ...RATE_LIMIT_FIELDS,
);
