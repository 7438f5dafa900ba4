import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AccessRule, RuleType } from './rule.ts';
import { OWN, catalogue, decide, mappings, nameOf, rule } from '../../../test/support/access-offers.ts';
import { findModelRule, fingerprintRules, isAllowed } from './decide-access.ts';
import { BINDING_LAYERS, RULE_TYPES } from './rule.ts';

const VALUES: Record<RuleType, string[]> = {
  'no-training': [],
  'zero-retention': [],
  regions: ['eu', 'us', 'ch'],
  'approved-providers': OWN,
  'allow-networks': ['192.0.2.0/24', '10.0.0.0/8', '192.0.2.1'],
  'deny-networks': ['192.0.2.0/24', '10.0.0.0/8', '192.0.2.7'],
  'allow-models': ['big', 'small', 'acme/*', '*', 'umbra/big', 'nobody'],
  'deny-models': ['big', 'small', 'acme/gift', 'umbra/*', 'nobody'],
  'allow-providers': OWN,
  'deny-providers': OWN,
  'max-input-price': ['0', '0.5', '4', '5'],
  'max-output-price': ['0', '1', '25'],
  'max-request-price': ['0', '0.01'],
  'max-image-price': ['0', '0.05'],
  quantizations: ['bf16', 'fp8', 'unknown'],
  'free-only': [],
  'paid-only': [],
};
const TYPES = Object.keys(RULE_TYPES) as RuleType[];
const anyRule = fc.constantFrom(...TYPES).chain((type) =>
  fc.record({
    layer: RULE_TYPES[type].isCompliance
      ? fc.constant('organization' as const)
      : fc.constantFrom(...BINDING_LAYERS),
    type: fc.constant(type),
    values:
      VALUES[type].length === 0
        ? fc.constant([])
        : fc.subarray(VALUES[type], {
            minLength: 1,
            maxLength: RULE_TYPES[type].takes === 'price' ? 1 : VALUES[type].length,
          }),
  }),
);
const anyRules = fc.array(anyRule, { maxLength: 8 });
const anyAddress = fc.constantFrom('192.0.2.1', '192.0.2.7', '10.1.1.1', '::1');
const left = (rules: readonly AccessRule[], address: string): Set<string> => {
  const names = decide(rules, address);
  return new Set(typeof names === 'string' ? [] : names);
};
const isWithin = (some: Set<string>, all: Set<string>): boolean => some.isSubsetOf(all);
/** Types whose values widen their own set, never more than the layer had without the type. */
const SETS: ReadonlySet<string> = new Set([
  'allow-models',
  'allow-providers',
  'allow-networks',
  'approved-providers',
  'regions',
  'quantizations',
]);

test('property: a rule never widens what is left, but for one more value of an allowance the layer has already', () => {
  fc.assert(
    fc.property(anyRules, anyRule, anyAddress, (rules, more, address) => {
      const isSameSet = (one: AccessRule) => one.layer === more.layer && one.type === more.type;
      const others = SETS.has(more.type) ? rules.filter((one) => !isSameSet(one)) : rules;
      assert.ok(isWithin(left([...rules, more], address), left(others, address)));
    }),
    { numRuns: 500 },
  );
});

test('property: a layer never gives what the layers above it do not', () => {
  fc.assert(
    fc.property(anyRules, anyAddress, (rules, address) => {
      for (let depth = 1; depth <= BINDING_LAYERS.length; depth += 1) {
        const above = rules.filter(({ layer }) => BINDING_LAYERS.indexOf(layer) < depth - 1);
        const upTo = rules.filter(({ layer }) => BINDING_LAYERS.indexOf(layer) < depth);
        assert.ok(isWithin(left(upTo, address), left(above, address)));
      }
    }),
    { numRuns: 300 },
  );
});

test('property: what is denied anywhere is left nowhere', () => {
  fc.assert(
    fc.property(
      anyRules,
      fc.constantFrom(...BINDING_LAYERS),
      fc.constantFrom(...mappings),
      (rules, layer, mapping) => {
        const name = nameOf(mapping);
        const all = [...rules, rule(layer, 'deny-models', name), rule('key', 'allow-models', name)];
        assert.ok(!left(all, '192.0.2.1').has(name));
      },
    ),
    { numRuns: 300 },
  );
});

test('property: the order of rules, and how values are spread over rules of a layer, mean nothing', () => {
  fc.assert(
    fc.property(
      anyRules.chain((rules) =>
        fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length })),
      ),
      anyAddress,
      ([rules, shuffled], address) => {
        assert.deepEqual(decide(shuffled, address), decide(rules, address));
        assert.equal(fingerprintRules(shuffled), fingerprintRules(rules));
        const spread = rules.flatMap((one) =>
          one.values.length === 0
            ? [one]
            : (one.values as readonly string[]).map((value) => ({ ...one, values: [value] })),
        );
        assert.deepEqual(decide(spread, address), decide(rules, address));
      },
    ),
    { numRuns: 300 },
  );
});

test('property: what a listing shows is what a request gets, from an address that no rule is about', () => {
  fc.assert(
    fc.property(anyRules, (rules) => {
      const onModels = rules.filter(({ type }) => !type.endsWith('-networks'));
      const listed = mappings.filter((mapping) => isAllowed(rules, mapping, catalogue)).map(nameOf);
      assert.deepEqual(new Set(listed), left(onModels, '::1'));
    }),
    { numRuns: 300 },
  );
});

test('a rule is one of models exactly if it can distinguish two models of a provider', () => {
  for (const type of TYPES) {
    const values = VALUES[type].length === 0 ? [[]] : VALUES[type].map((value) => [value]);
    const rules = values.map((some) => [rule('organization', type, ...some)]);
    const distinguishes = rules.some((one) =>
      OWN.some((provider) => {
        const offered = mappings.filter(({ providerId }) => providerId === provider);
        const allowed = offered.filter((mapping) => isAllowed(one, mapping, catalogue));
        return allowed.length > 0 && allowed.length < offered.length;
      }),
    );
    assert.equal(findModelRule(rules[0] ?? []) !== undefined, distinguishes, type);
  }
});

test('rules that differ in layer, type or values have fingerprints of their own', () => {
  const sets = [
    [],
    [rule('key', 'allow-models', 'a')],
    [rule('key', 'allow-models', 'b')],
    [rule('key', 'deny-models', 'a')],
    [rule('project', 'allow-models', 'a')],
    [rule('key', 'allow-models', 'a', 'b')],
  ];
  const fingerprints = sets.map(fingerprintRules);
  assert.equal(new Set(fingerprints).size, sets.length);
  for (const fingerprint of fingerprints) assert.match(fingerprint, /^[\w-]{43}$/);
});
