import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { newAdminKeyFields, newLinkFields } from '../src/access/fields/admin-key-fields.ts';
import {
  NEW_MODEL_FIELDS,
  NEW_PROVIDER_FIELDS,
  PROVIDER_FIELDS,
  providerKeyFields,
} from '../src/access/fields/byok-fields.ts';
import { findChanges, findFaults, findNamed, toBody, toDraft } from '../src/access/forms/changes.ts';
import type { Field } from '../src/access/fields/field.ts';
import { KEY_LIMIT_FIELDS, ROTATE_FIELDS, newKeyFields } from '../src/access/fields/key-fields.ts';
import { MEMBER_FIELDS, NEW_MEMBER_FIELDS } from '../src/access/fields/member-fields.ts';
import { PLAN_FIELDS, creditFields } from '../src/access/fields/money-fields.ts';
import { NEW_PROJECT_FIELDS, PROJECT_FIELDS } from '../src/access/fields/project-fields.ts';
import { ORGANIZATION_FIELDS } from '../src/access/fields/rate-limit-fields.ts';
import { routingFields } from '../src/access/fields/routing-fields.ts';

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
}

const openapi = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as {
  components: { schemas: Record<string, Schema> };
};
const bodyOf = (name: string): Schema => openapi.components.schemas[name] ?? assert.fail(name);

const routing = routingFields({ models: [], providers: [] });
const made = { organization: { id: 'org_1', name: 'Acme' }, seesAll: true };

/** The fields of each form, and the members that it sends without asking. */
const FORMS: Readonly<Record<string, { fields: readonly Field[]; fixed?: readonly string[] }>> = {
  CreateKey: { fields: newKeyFields([], []) },
  UpdateKey: { fields: [...KEY_LIMIT_FIELDS, ...routing], fixed: ['disabled'] },
  RotateKey: { fields: ROTATE_FIELDS },
  CreateMember: { fields: NEW_MEMBER_FIELDS, fixed: ['organization_id'] },
  UpdateMember: { fields: MEMBER_FIELDS },
  CreateProject: { fields: NEW_PROJECT_FIELDS, fixed: ['organization_id'] },
  UpdateProject: { fields: [...PROJECT_FIELDS, ...routing] },
  UpdateOrganization: { fields: ORGANIZATION_FIELDS },
  UpdatePlan: { fields: PLAN_FIELDS },
  UpdateCredits: { fields: creditFields('0') },
  CreateProviderKey: { fields: providerKeyFields([]), fixed: ['organization_id'] },
  CreateCustomProvider: { fields: NEW_PROVIDER_FIELDS, fixed: ['organization_id'] },
  UpdateCustomProvider: { fields: PROVIDER_FIELDS },
  CreateCustomModel: { fields: NEW_MODEL_FIELDS, fixed: ['organization_id', 'provider'] },
  CreateAdminKey: { fields: newAdminKeyFields(made) },
  CreateDashboardSession: { fields: newLinkFields(made) },
};

/** Objects whose members have fields of their own; others are one field. */
const OPEN = ['rate_limits', 'routing', 'price'];

const membersOf = ({ properties = {} }: Schema): string[] =>
  Object.entries(properties).flatMap(([name, node]) =>
    OPEN.includes(name) ? Object.keys(node.properties ?? {}).map((part) => `${name}.${part}`) : [name],
  );

test('a form offers every member that the administration API can set', () => {
  for (const [name, { fields, fixed = [] }] of Object.entries(FORMS))
    assert.deepEqual(
      [...fields.map((field) => field.name), ...fixed].sort(),
      membersOf(bodyOf(name)).sort(),
      name,
    );
});

const KEY = {
  label: 'ci',
  usage: '1.2',
  limit: '2',
  recurring_limit: { amount: '5', period: 'day' },
  rate_limits: { requests_per_minute: 60, tokens_per_minute: null, concurrency: null },
  routing: { order: ['openai', 'groq'], weights: { openai: 2 }, max_price: { prompt: '3' } },
  expires_at: null,
};
const fields: readonly Field[] = [...KEY_LIMIT_FIELDS, ...routing];

test('only what changes is sent; what is emptied is null, and nothing else of an object', () => {
  const from = toDraft(fields, KEY);
  const edit = (changes: Readonly<Record<string, string | string[]>>): Record<string, unknown> => {
    const to = { ...from, ...changes };
    const changed = findChanges({ fields, from, to, record: KEY }).map(({ field }) => field);
    return toBody(changed, to);
  };
  assert.deepEqual(edit({}), {});
  assert.deepEqual(edit({ limit: '', recurring_limit: '7.5/month' }), {
    limit: null,
    recurring_limit: { amount: '7.5', period: 'month' },
  });
  assert.deepEqual(edit({ 'rate_limits.requests_per_minute': '', 'rate_limits.concurrency': '4' }), {
    rate_limits: { requests_per_minute: null, concurrency: 4 },
  });
  assert.deepEqual(
    edit({ 'routing.order': [], 'routing.weights': ['openai=2', 'groq=0.5'], 'routing.max_price': '/15' }),
    { routing: { order: null, weights: { openai: 2, groq: 0.5 }, max_price: { completion: '15' } } },
  );
  assert.deepEqual(edit({ expires_at: '2099-01-01T00:00', 'routing.zdr': 'false' }), {
    expires_at: new Date('2099-01-01T00:00').toISOString(),
    routing: { zdr: false },
  });
});

test('a change is shown as before and after, with what it does to what is used already', () => {
  const from = toDraft(fields, KEY);
  const show = (limit: string) => {
    const [change] = findChanges({ fields, from, to: { ...from, limit }, record: KEY });
    return [change?.from, change?.to, change?.effect];
  };
  assert.deepEqual(show('5'), ['$2', '$5', 'Requests beyond $5 are refused from now on; $1.2 are used.']);
  assert.deepEqual(show('1.2'), [
    '$2',
    '$1.2',
    'Every request that costs something is refused from now on: $1.2 are used already.',
  ]);
  assert.deepEqual(show('99999999.5').slice(0, 2), ['$2', '$99,999,999.5']);
  assert.equal(show('1,50')[2], undefined, 'what is no amount does nothing');
  assert.deepEqual(show(''), ['$2', 'no limit', 'The total spend of the key is no longer limited.']);
});

test('a value that the gateway would refuse is named at its field, and so is a refusal of the gateway', () => {
  const draft = {
    ...toDraft(fields, KEY),
    limit: '1,50',
    'rate_limits.concurrency': '0',
    'routing.weights': ['openai'],
    expires_at: '2020-01-01T00:00',
    recurring_limit: 'five/day',
    'routing.max_price': 'x/1',
  };
  assert.deepEqual(
    Object.keys(findFaults(fields, draft)).sort(),
    [
      'expires_at',
      'limit',
      'rate_limits.concurrency',
      'recurring_limit',
      'routing.max_price',
      'routing.weights',
    ].sort(),
  );
  assert.deepEqual(findFaults(newKeyFields([], []), { label: '' }), {
    label: 'This is needed',
    project_id: 'This is needed',
  });
  assert.equal(findNamed(fields, 'routing.order[0]')?.name, 'routing.order');
  assert.equal(findNamed(fields, 'recurring_limit.amount')?.name, 'recurring_limit');
  assert.equal(findNamed(fields, 'organization_id'), undefined);
});
