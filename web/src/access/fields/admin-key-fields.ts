import { fieldsOf } from './field.ts';

const EVERYTHING = 'It can read and change everything that it reaches, money included.';

const scopes = (initial: readonly string[]) =>
  ({
    name: 'scopes',
    label: 'Scopes',
    none: 'all',
    initial,
    help: 'What it may do; not more than you may',
    effect: (value: string) =>
      value === '' || value.split(', ').includes('all') ? EVERYTHING : `It may do no more than ${value}.`,
  }) as const;

/** Where it reaches: one organization, or all for a session that sees all. */
const reach = (organization: { id: string; name: string }, seesAll: boolean) =>
  ({
    name: 'organization_id',
    label: 'Reaches',
    initial: organization.id,
    options: [{ value: organization.id, label: `${organization.name} only` }],
    ...(seesAll && { none: 'all organizations' }),
    effect: (value: string) =>
      value === '' ? 'It reaches all organizations.' : `It reaches ${organization.name} only.`,
  }) as const;

interface AdminKeyContext {
  organization: { id: string; name: string };
  seesAll: boolean;
}

export const newAdminKeyFields = ({ organization, seesAll }: AdminKeyContext) =>
  fieldsOf(
    '/admin/v1/admin_keys',
    { name: 'label', label: 'Label', help: 'What it is for' },
    scopes(['read']),
    reach(organization, seesAll),
  );

export const newLinkFields = ({ organization, seesAll }: AdminKeyContext) =>
  fieldsOf(
    '/admin/v1/dashboard_sessions',
    {
      name: 'label',
      label: 'Whom it is for',
      effect: () => 'The link signs one browser in, once and within 10 minutes.',
    },
    scopes(['read']),
    reach(organization, seesAll),
  );
