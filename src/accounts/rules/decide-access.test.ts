import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import type { AccessRule, RuleType } from './rule.ts';
import { catalogue, decide, mappings, nameOf, rule } from '../../../test/support/access-offers.ts';
import { findNetworkRefusal, isAllowed } from './decide-access.ts';
import { describeRefusal, describeUnevaluated } from './describe-refusal.ts';

const EVERY = ['acme/big', 'umbra/big', 'blank/big', 'acme/small', 'acme/gift', 'umbra/unpriced'];

test('without rules everything is allowed', () => {
  assert.deepEqual(new Set(decide([])), new Set(EVERY));
});

const CASES: [string, AccessRule[], string[]][] = [
  ['a model', [rule('key', 'allow-models', 'big')], ['acme/big', 'umbra/big', 'blank/big']],
  ['a model at one provider', [rule('key', 'allow-models', 'umbra/big')], ['umbra/big']],
  [
    'names with a star',
    [rule('key', 'allow-models', 'acme/*', 'un*ed')],
    ['acme/big', 'acme/small', 'acme/gift', 'umbra/unpriced'],
  ],
  [
    'values of one type in one layer are one set',
    [rule('key', 'allow-models', 'small'), rule('key', 'allow-models', 'gift')],
    ['acme/small', 'acme/gift'],
  ],
  [
    'layers intersect',
    [rule('organization', 'allow-models', 'small', 'big'), rule('key', 'allow-models', 'small', 'gift')],
    ['acme/small'],
  ],
  [
    'types are all asked',
    [rule('key', 'allow-models', 'big'), rule('key', 'allow-providers', 'acme', 'umbra')],
    ['acme/big', 'umbra/big'],
  ],
  [
    'a denial wins over an allowance',
    [rule('key', 'allow-models', 'big', 'small'), rule('key', 'deny-models', 'big')],
    ['acme/small'],
  ],
  ['a denied provider', [rule('project', 'deny-providers', 'acme', 'bl*k')], ['umbra/big', 'umbra/unpriced']],
  [
    'a ceiling for input; no price is over every ceiling',
    [rule('key', 'max-input-price', '4.99')],
    ['umbra/big', 'blank/big', 'acme/small', 'acme/gift'],
  ],
  [
    'a ceiling is inclusive',
    [rule('key', 'max-output-price', '25')],
    ['acme/big', 'umbra/big', 'blank/big', 'acme/small', 'acme/gift'],
  ],
  [
    'of two ceilings the lower holds',
    [rule('key', 'max-output-price', '25'), rule('key', 'max-output-price', '0.5')],
    ['acme/gift'],
  ],
  [
    'a ceiling for what a request costs besides tokens',
    [rule('key', 'max-request-price', '0.01')],
    ['umbra/big', 'blank/big', 'acme/small', 'acme/gift'],
  ],
  [
    'a ceiling for images; of several sizes the most expensive counts',
    [rule('key', 'max-image-price', '0.05')],
    ['acme/big', 'umbra/big', 'acme/small', 'acme/gift'],
  ],
  ['precisions of weights', [rule('key', 'quantizations', 'bf16', 'fp8')], ['acme/big', 'umbra/big']],
  [
    'precisions that are not known are named as such',
    [rule('key', 'quantizations', 'bf16', 'unknown')],
    ['acme/big', 'blank/big', 'acme/small', 'acme/gift', 'umbra/unpriced'],
  ],
  ['free only', [rule('key', 'free-only')], ['acme/gift']],
  [
    'paid only; what has no known price is not paid',
    [rule('key', 'paid-only')],
    ['acme/big', 'umbra/big', 'blank/big', 'acme/small'],
  ],
  [
    'no training: what is not known counts as training',
    [rule('organization', 'no-training')],
    ['acme/big', 'acme/small', 'acme/gift'],
  ],
  [
    'zero retention: the same',
    [rule('organization', 'zero-retention')],
    ['acme/big', 'acme/small', 'acme/gift'],
  ],
  [
    'regions: all of a provider’s must be allowed',
    [rule('organization', 'regions', 'eu')],
    ['acme/big', 'acme/small', 'acme/gift'],
  ],
  [
    'regions: what is not known is nowhere',
    [rule('organization', 'regions', 'eu', 'us')],
    ['acme/big', 'acme/small', 'acme/gift', 'umbra/big', 'umbra/unpriced'],
  ],
  ['approved providers', [rule('organization', 'approved-providers', 'blank')], ['blank/big']],
  [
    'compliance is over every rule',
    [
      rule('organization', 'no-training'),
      rule('key', 'allow-providers', 'umbra', 'acme'),
      rule('organization', 'allow-models', 'big'),
    ],
    ['acme/big'],
  ],
];
for (const [title, rules, expected] of CASES) {
  test(`rules: ${title}`, () => assert.deepEqual(new Set(decide(rules)), new Set(expected)));
}

test('an alias or a dated id evades no rule, and may name a model in one', () => {
  const model = [...catalogue.models.values()].find(({ aliases }) => aliases.length > 0);
  assert.ok(model);
  for (const name of [model.id, ...model.aliases]) {
    const value = name.toLowerCase();
    assert.equal(decide([rule('key', 'deny-models', value)], '::1', model.mappings), 'key deny-models');
    assert.deepEqual(
      decide([rule('key', 'allow-models', value)], '::1', model.mappings),
      model.mappings.map(nameOf),
    );
  }
});

test('a model whose long-context tier costs more than a price ceiling is refused', () => {
  const tiered = [...catalogue.models.values()]
    .flatMap((model) => model.mappings)
    .find(({ price }) => price?.tiers[0] && price.tiers[0].parts.inputUncached > price.parts.inputUncached);
  assert.ok(tiered?.price);
  const ceiling = String(Number(tiered.price.parts.inputUncached) / 1e6);
  assert.equal(decide([rule('key', 'max-input-price', ceiling)], '::1', [tiered]), 'key max-input-price');
});

test('an image model with a price per image is held to a ceiling, one that bills tokens is over every ceiling', () => {
  const find = (name: string): Mapping => {
    const mapping = mappings.find((offer) => nameOf(offer) === name) ?? assert.fail();
    return { ...mapping, operations: ['images'] };
  };
  const isUnder = (name: string, ceiling: string): boolean =>
    isAllowed([rule('key', 'max-image-price', ceiling)], find(name), catalogue);
  assert.deepEqual([isUnder('blank/big', '0.06'), isUnder('blank/big', '0.05')], [true, false]);
  assert.equal(isUnder('acme/big', '1000'), false);
});

test('networks: allowances form one set, denials take precedence, and an unknown address is in no network', () => {
  const rules = [
    rule('key', 'allow-networks', '10.0.0.0/8'),
    rule('key', 'allow-networks', '2001:db8::/32'),
    rule('project', 'deny-networks', '10.1.2.3'),
  ];
  const refused = (address?: string) => findNetworkRefusal(rules, address)?.type;
  for (const address of ['10.9.9.9', '::ffff:10.9.9.9', '2001:db8::1', '2001:db8::1%eth0'])
    assert.equal(refused(address), undefined, address);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3'])
    assert.equal(refused(address), 'deny-networks', address);
  for (const address of ['11.0.0.1', '2001:db9::1', '::1', 'nonsense', ''])
    assert.equal(refused(address), 'allow-networks', address);
  assert.ok(refused(undefined));
  assert.equal(
    findNetworkRefusal([rule('key', 'deny-networks', '10.0.0.1')], undefined)?.type,
    'deny-networks',
  );
  assert.equal(decide(rules, '11.0.0.1'), 'key allow-networks');
  assert.ok(isAllowed(rules, mappings[0] as Mapping, catalogue), 'network rules do not apply to models');
});

test('a refusal names the layer and type of the rule that excluded the best offer', () => {
  const big = mappings.filter(({ modelId }) => modelId === 'big');
  const rules = [rule('organization', 'no-training'), rule('project', 'deny-providers', 'blank')];
  assert.equal(decide([...rules, rule('key', 'max-input-price', '4')], '::1', big), 'key max-input-price');
  assert.equal(decide(rules, '::1', big.slice(1)), 'organization no-training');
  const text = describeRefusal({ layer: 'project', type: 'deny-models', values: [] }, 'model "big"');
  assert.match(
    text,
    /^a rule of the project \(deny-models\) does not allow model "big": it is denied\. Ask an administrator/,
  );
  assert.match(
    describeRefusal({ layer: 'organization', type: 'regions', values: ['eu'] }, 'm'),
    /^the compliance policy of the organization \(regions\)/,
  );
});

test('a regional mapping satisfies the rule regions for its own region only', () => {
  const mapping = mappings.find((offer) => nameOf(offer) === 'blank/big');
  assert.ok(mapping);
  const inEurope: Mapping = { ...mapping, region: 'eu' };
  assert.equal(isAllowed([rule('organization', 'regions', 'eu')], mapping, catalogue), false);
  assert.equal(isAllowed([rule('organization', 'regions', 'eu')], inEurope, catalogue), true);
  assert.equal(isAllowed([rule('organization', 'regions', 'us')], inEurope, catalogue), false);
});

test('a rule of an unknown type refuses everything', () => {
  const unknown = { layer: 'key', type: 'moon-phase', values: ['full'] } as const;
  assert.equal(decide([unknown]), 'key moon-phase');
  assert.match(describeRefusal(unknown, 'm'), /does not support the rule/);
});

test('of two rules of unknown types the same one is named in any order', () => {
  const [moon, tide] = ['moon-phase', 'tide'].map((type) => ({ layer: 'key' as const, type, values: [] }));
  assert.ok(moon && tide);
  assert.equal(decide([moon, tide]), 'key moon-phase');
  assert.equal(decide([tide, moon]), 'key moon-phase');
});

test('a refused model refers to the list of models; a refused address does not', () => {
  const describe = (type: RuleType) => describeRefusal({ layer: 'key', type, values: [] }, 'it');
  assert.match(describe('deny-models'), /GET \/v1\/models/);
  assert.doesNotMatch(describe('deny-networks'), /GET \/v1\/models/);
});

test('a rule that cannot be evaluated is named with its owner', () => {
  const describe = (layer: AccessRule['layer']) =>
    describeUnevaluated({ layer, type: 'deny-models', values: [] }, 'it');
  assert.match(describe('session'), /a rule of the session token \(deny-models\)/);
  assert.match(describe('key'), /a rule of the key \(deny-models\)/);
});

test('a ceiling of 0 leaves the free models', () => {
  assert.deepEqual(decide([rule('key', 'max-input-price', '0')]), ['acme/gift']);
});

test('rules are compiled once, and a mapping is checked once by them', () => {
  let reads = 0;
  const mapping = { ...(mappings[0] as Mapping) };
  Object.defineProperty(mapping, 'externalId', { get: () => `read-${(reads += 1)}` });
  const rules = [rule('key', 'allow-models', 'none')];
  for (let request = 0; request < 3; request += 1)
    assert.equal(decide(rules, '::1', [mapping]), 'key allow-models');
  assert.equal(reads, 1);
});
