import { type ListedField, fieldsOf } from './field.ts';
import { RATE_LIMIT_FIELDS } from './rate-limit-fields.ts';
import { spendLimitFields } from './spend-limit-fields.ts';

const EXPIRY = {
  label: 'Expires',
  kind: 'moment',
  none: 'never',
  help: 'In your time zone; empty for never',
  effect: (value) =>
    value === '' ? 'It does not expire.' : 'From then on its requests are refused with 401.',
} as const satisfies Omit<ListedField, 'name'>;

/** What a key is called, what it may spend and do, and until when. */
export const KEY_LIMIT_FIELDS = fieldsOf(
  '/admin/v1/keys/{id}',
  { name: 'label', label: 'Label' },
  ...spendLimitFields('the key'),
  ...RATE_LIMIT_FIELDS,
  { name: 'expires_at', ...EXPIRY },
);

interface ChoiceRecord {
  id: string;
  name: string;
}

const options = (of: readonly ChoiceRecord[]) => of.map(({ id, name }) => ({ value: id, label: name }));

export const newKeyFields = (projects: readonly ChoiceRecord[], members: readonly ChoiceRecord[]) =>
  fieldsOf(
    '/admin/v1/keys',
    { name: 'label', label: 'Label', help: 'What it is for' },
    {
      name: 'project_id',
      label: 'Project',
      options: options(projects),
      initial: projects[0]?.id ?? '',
    },
    {
      name: 'member_id',
      label: 'Member',
      none: 'nobody',
      options: options(members),
      help: 'Whose budget and role apply to it as well',
      effect: (value) =>
        value === '' ? undefined : 'It also counts against the budget of the member, and has their role.',
    },
    ...spendLimitFields('the key'),
    ...RATE_LIMIT_FIELDS,
    { name: 'expires_at', ...EXPIRY },
  );

const HOUR = 3_600;
const DAY = 24 * HOUR;

export const ROTATE_FIELDS = fieldsOf('/admin/v1/keys/{id}/rotate', {
  name: 'grace_seconds',
  label: 'The old secret',
  kind: 'seconds',
  initial: String(DAY),
  options: [
    { value: '0', label: 'ends at once' },
    { value: String(HOUR), label: 'works for another hour' },
    { value: String(DAY), label: 'works for another 24 hours' },
    { value: String(7 * DAY), label: 'works for another 7 days' },
    { value: String(90 * DAY), label: 'works for another 90 days' },
  ],
});
