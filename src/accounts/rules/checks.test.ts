import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChecks } from './checks.ts';
import { type AccessRule, BINDING_LAYERS, RULE_TYPES } from './rule.ts';

const UNKNOWN = ['moon-phase', 'tide'];

test('checks run compliance first, then layer by layer from the outermost, in each unknown types and then those of the list', () => {
  const types = Object.entries(RULE_TYPES);
  const compliance = types
    .filter(([, { isCompliance }]) => isCompliance)
    .map(([type]) => `organization ${type}`);
  const others = types.filter(([, { isCompliance }]) => !isCompliance).map(([type]) => type);
  const expected = [
    ...compliance,
    ...BINDING_LAYERS.flatMap((layer) => [...UNKNOWN, ...others].map((type) => `${layer} ${type}`)),
  ];
  const rules = expected.map((name): AccessRule => {
    const [layer, type = ''] = name.split(' ');
    return { layer: layer as AccessRule['layer'], type, values: [] };
  });
  for (const given of [rules, rules.toReversed()])
    assert.deepEqual(
      createChecks(given).map(({ layer, type }) => `${layer} ${type}`),
      expected,
    );
});
