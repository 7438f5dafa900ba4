import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExistingEntry } from './entry.ts';
import { exportManifest, formatManifest } from './export-manifest.ts';
import { planChanges } from './plan-changes.ts';
import { parseManifest } from './read-manifest.ts';

const KEY: ExistingEntry = {
  id: 'key_1',
  name: 'backend',
  values: {
    limit: '25',
    recurringLimit: '5/week',
    rateLimits: { concurrency: 3 },
    expiresAt: '2027-01-31T00:00:00.000Z',
    disabled: false,
  },
  lists: {
    rules: [{ id: 'rule_1', name: '', values: { type: 'deny-models', values: ['gpt-*', 'o3'] }, lists: {} }],
  },
};
const PROJECT: ExistingEntry = {
  id: 'prj_1',
  name: 'web',
  values: { cacheTtlSeconds: 60, payloadDays: 0 },
  lists: { rules: [], keys: [KEY] },
};
const ACME: ExistingEntry = {
  id: 'org_1',
  name: 'Acme',
  values: { plan: 'pro', overflow: true, rateLimits: { requestsPerMinute: 600 } },
  lists: {
    rules: [{ id: 'rule_2', name: '', values: { type: 'no-training', values: [] }, lists: {} }],
    projects: [PROJECT],
  },
};

function read(...lines: string[]) {
  const { entries, problems } = parseManifest('m.yaml', lines.join('\n'));
  assert.deepEqual(problems, []);
  return entries;
}

const readExport = (actual: readonly ExistingEntry[]) => read(formatManifest(exportManifest(actual)));

function listFaults(...lines: string[]): string[] {
  return parseManifest('m.yaml', lines.join('\n')).problems.map(
    ({ place, message }) => `${place} ${message}`,
  );
}

test('an export plans no changes, also where names are shared', () => {
  const twin: ExistingEntry = {
    ...KEY,
    id: 'key_2',
    values: { ...KEY.values, limit: 'none', expiresAt: 'none', disabled: true },
    lists: { rules: [] },
  };
  const actual: ExistingEntry[] = [
    { ...ACME, lists: { rules: [], projects: [{ ...PROJECT, lists: { rules: [], keys: [KEY, twin] } }] } },
    { ...ACME, id: 'org_2', values: { plan: 'none', rateLimits: {} }, lists: { rules: [], projects: [] } },
  ];
  assert.deepEqual(planChanges(readExport(actual), actual), { changes: [], unmanaged: [], problems: [] });
});

test('an empty installation gets everything: parents first, and rules before the keys below them', () => {
  const { changes, problems } = planChanges(readExport([ACME]), []);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    changes.map((change) => [change.action, change.subject.title, 'member' in change ? change.member : '']),
    [
      ['create', 'Acme', ''],
      ['set', 'Acme', 'plan'],
      ['set', 'Acme', 'rateLimits'],
      ['add', 'Acme', ''],
      ['create', 'Acme / web', ''],
      ['set', 'Acme / web', 'cacheTtlSeconds'],
      ['create', 'Acme / web / backend', ''],
      ['add', 'Acme / web / backend', ''],
    ],
  );
  const [key] = changes.flatMap((change) =>
    change.action === 'create' && change.subject.layer === 'key' ? [change.settings] : [],
  );
  const { limit, recurringLimit, rateLimits, expiresAt } = KEY.values;
  assert.deepEqual(key, { limit, recurringLimit, rateLimits, expiresAt });
});

test('a new key that is to be disabled is created, then disabled', () => {
  const desired = read(
    'organizations:',
    '  - name: Acme',
    '    projects: [{ name: web, keys: [{ label: spare, disabled: true }] }]',
  );
  const { changes } = planChanges(desired, [ACME]);
  assert.deepEqual(
    changes.map((change) => [change.action, change.subject.title, 'to' in change && change.to]),
    [
      ['create', 'Acme / web / spare', false],
      ['set', 'Acme / web / spare', true],
    ],
  );
});

test('fields absent from a file do not change, and what no file mentions is listed', () => {
  const beta = { ...ACME, id: 'org_2', name: 'Beta' };
  const { changes, unmanaged } = planChanges(
    read('organizations: [{ name: Acme, projects: [{ name: web }] }]'),
    [ACME, beta],
  );
  assert.deepEqual(changes, []);
  assert.deepEqual(
    unmanaged.map(({ id }) => id),
    ['key_1', 'org_2'],
  );
});

test('listed rules replace all others; the new one is added before the old one is removed', () => {
  const withRule = (values: string) => [
    'organizations:',
    '  - name: Acme',
    `    projects: [{ name: web, keys: [{ label: backend, rules: [{ type: deny-models, values: ${values} }] }] }]`,
  ];
  assert.deepEqual(
    planChanges(read(...withRule('[O3, "gpt-*"]')), [ACME]).changes,
    [],
    'in any order and case',
  );
  const { changes } = planChanges(read(...withRule('[o3]')), [ACME]);
  assert.deepEqual(
    changes.map((change) => [change.action, 'values' in change && change.values['values']]),
    [
      ['add', ['o3']],
      ['remove', ['gpt-*', 'o3']],
    ],
  );
  assert.deepEqual(
    planChanges(read('organizations: [{ name: Acme, rules: [] }]'), [ACME]).changes.map(
      ({ action }) => action,
    ),
    ['remove'],
  );
});

test('the same amount, moment and limits in another spelling are no change', () => {
  const key = 'label: backend, limit: "25.00", recurringLimit: 5.0/week, expiresAt: 2027-01-31';
  const desired = read(
    `organizations: [{ name: Acme, projects: [{ name: web, keys: [{ ${key}, rateLimits: { concurrency: 3 } }] }] }]`,
  );
  assert.deepEqual(planChanges(desired, [ACME]).changes, []);
});

test('a plan and its overflow change together, and each alone keeps the other', () => {
  const plan = (members: string) =>
    planChanges(read(`organizations: [{ name: Acme, ${members} }]`), [ACME]).changes.map((change) =>
      'to' in change ? change.to : undefined,
    );
  assert.deepEqual(plan('plan: max'), [{ plan: 'max', overflow: true }]);
  assert.deepEqual(plan('overflow: false'), [{ plan: 'pro', overflow: false }]);
  assert.deepEqual(plan('plan: none'), [{ plan: 'none' }]);
  assert.deepEqual(plan('plan: pro'), []);
});

test('an entry with an id and another name is renamed; without an id, one with the new name is created', () => {
  const changesOf = (...lines: string[]) =>
    planChanges(read('organizations:', ...lines), [ACME]).changes.map((change) => {
      const { action, subject } = change;
      return action === 'set'
        ? [action, subject.title, change.member, change.from, change.to]
        : [action, subject.title];
    });
  assert.deepEqual(changesOf('  - { id: org_1, name: Acme Inc. }'), [
    ['set', 'Acme', 'name', 'Acme', 'Acme Inc.'],
  ]);
  assert.deepEqual(
    changesOf(
      '  - name: Acme',
      '    projects:',
      '      - { id: prj_1, name: website, keys: [{ id: key_1, label: batch }] }',
    ),
    [
      ['set', 'Acme / web', 'name', 'web', 'website'],
      ['set', 'Acme / web / backend', 'label', 'backend', 'batch'],
    ],
  );
  assert.deepEqual(changesOf('  - { name: Acme Inc. }'), [['create', 'Acme Inc.']]);
});

test('what is ambiguous or missing is a problem at its line', () => {
  const twins = [ACME, { ...ACME, id: 'org_2' }];
  const report = (text: string, actual = twins) =>
    planChanges(read('organizations:', ...text.split('\n')), actual).problems.map(
      ({ place, message }) => `${place} ${message}`,
    );
  assert.deepEqual(report('  - name: Acme'), [
    'm.yaml:2:5 more than one organization is named "Acme": org_1 and org_2; add the id of one',
  ]);
  assert.deepEqual(report('  - { id: org_2, name: Acme }'), []);
  assert.deepEqual(report('  - id: org_3'), [
    'm.yaml:2:5 there is no organization org_3; without an id, one is created',
  ]);
  assert.deepEqual(report('  - name: New\n  - name: New'), [
    'm.yaml:3:5 the organization "New" is already at m.yaml:2:5',
  ]);
  assert.deepEqual(
    report('  - { name: Acme, projects: [{ name: web, keys: [{ label: backend, member: mem_9 }] }] }', [ACME])
      .length,
    1,
  );
});

test('an invalid file is refused with line and path, before accounts are read', () => {
  assert.deepEqual(listFaults('organizations:', '  - name: Acme', '    plam: pro'), [
    'm.yaml:3:5 unknown key "plam"; did you mean "plan"?',
  ]);
  assert.deepEqual(listFaults('organizations:', '  - plan: pro'), ['m.yaml:2:5 "name" or "id" is missing']);
  const limitOf = (limit: string) => [
    'organizations:',
    '  - name: Acme',
    `    projects: [{ name: web, keys: [{ label: a, limit: ${limit} }] }]`,
  ];
  for (const limit of ['25', '0.10', '"25"', 'none']) assert.deepEqual(listFaults(...limitOf(limit)), []);
  for (const limit of ['-1', '0.30000000000000004', 'true', '1e-13'])
    assert.match(
      listFaults(...limitOf(limit))[0] ?? '',
      /^m\.yaml:3:\d+ .*limit (is malformed: USD such as 25|must be)/,
    );
  const [rule] = listFaults('organizations:', '  - name: Acme', '    rules:', '      - type: deny-model');
  assert.match(rule ?? '', /^m\.yaml:4:15 .*type must be one of no-training/);
  const [moment] = listFaults(
    'organizations: [{ name: A, projects: [{ name: w, keys: [{ label: k, expiresAt: 2027-02-31 }] }] }]',
  );
  assert.match(moment ?? '', /expiresAt is malformed: a date or time in UTC/);
  const [name] = listFaults('organizations: [{ name: "a\\e[2J" }]');
  assert.match(name ?? '', /name is malformed: a name of 1 to 200 characters without control characters/);
  assert.match(listFaults('organizations: [')[0] ?? '', /^m\.yaml:1:/);
  assert.equal(listFaults('').length, 1);
});
