import type { Member } from '../access-queries.ts';
import { fieldsOf } from './field.ts';
import { spendLimitFields } from './spend-limit-fields.ts';

const ROLES: Readonly<Record<string, string>> = {
  owner: 'Their keys call models; signed in, they change everything in the organization but money.',
  admin: 'Their keys call models; signed in, they change everything in the organization but money.',
  member: 'Their keys call models; signed in, they see their own keys and requests only.',
  viewer: 'Their keys are refused for calls; signed in, they see the organization and change nothing.',
} satisfies Record<Member['role'], string>;

const ROLE = {
  label: 'Role',
  effect: (value: string) => ROLES[value],
} as const;

/** What can be changed of a member. */
export const MEMBER_FIELDS = fieldsOf(
  '/admin/v1/members/{id}',
  { name: 'name', label: 'Name' },
  { name: 'role', ...ROLE },
  ...spendLimitFields('the member'),
);

export const NEW_MEMBER_FIELDS = fieldsOf(
  '/admin/v1/members',
  { name: 'name', label: 'Name' },
  {
    name: 'email',
    label: 'E-mail',
    none: 'none',
    help: 'Who signs in with this verified address is this member',
  },
  { name: 'role', ...ROLE, initial: 'member' },
  ...spendLimitFields('the member'),
);
