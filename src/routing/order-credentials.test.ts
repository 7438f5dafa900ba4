import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { orderCredentials } from './order-credentials.ts';
import type { HealthState } from './mapping-health.ts';

const HEALTHY = (): HealthState => 'healthy';

const credentials = fc.uniqueArray(
  fc.record({ name: fc.string({ minLength: 1, maxLength: 9 }), weight: fc.nat(5) }),
  { minLength: 1, maxLength: 6, selector: ({ name }) => name },
);

test('each credential comes first as often as its weight says, whatever their names', () => {
  fc.assert(
    fc.property(credentials, fc.string(), (all, salt) => {
      const total = all.reduce((sum, { weight }) => sum + weight, 0);
      if (total === 0) return;
      const requests = 4_000;
      const counts = new Map<string, number>();
      for (let request = 0; request < requests; request += 1) {
        const [first] = orderCredentials(all, { seed: `${salt}${request}`, stateOf: HEALTHY });
        counts.set(first?.name ?? '', (counts.get(first?.name ?? '') ?? 0) + 1);
      }
      for (const { name, weight } of all) {
        const share = (counts.get(name) ?? 0) / requests;
        assert.ok(Math.abs(share - weight / total) < 0.06, `${name}: ${share} of ${weight}/${total}`);
      }
    }),
    { numRuns: 30 },
  );
});

test('every order has each credential once, and is the same for the same seed', () => {
  fc.assert(
    fc.property(credentials, fc.string(), (all, seed) => {
      const ordered = orderCredentials(all, { seed, stateOf: HEALTHY });
      assert.deepEqual(ordered.map(({ name }) => name).toSorted(), all.map(({ name }) => name).toSorted());
      assert.deepEqual(orderCredentials(all, { seed, stateOf: HEALTHY }), ordered);
    }),
  );
});

test('a session whose credential is removed moves, and no other does', () => {
  fc.assert(
    fc.property(credentials, fc.string(), (all, seed) => {
      const [first, second] = orderCredentials(all, { seed, stateOf: HEALTHY });
      for (const { name } of all) {
        const rest = all.filter((one) => one.name !== name);
        const [next] = orderCredentials(rest, { seed, stateOf: HEALTHY });
        assert.equal(next, first?.name === name ? second : first);
      }
    }),
  );
});

test('good health goes before weight, and weight 0 after every other that may be called, in the order given', () => {
  const all = [
    { name: 'spare', weight: 0 },
    { name: 'second spare', weight: 0 },
    { name: 'failing', weight: 100 },
    { name: 'limited', weight: 100 },
    { name: 'small', weight: 0.01 },
    { name: 'probed', weight: 0.01 },
  ];
  const states: Record<string, HealthState> = { failing: 'poor', limited: 'closed', probed: 'due' };
  const stateOf = ({ name }: { name: string }): HealthState => states[name] ?? 'healthy';
  for (const seed of ['1', '2', '3', '4']) {
    const names = orderCredentials(all, { seed, stateOf }).map(({ name }) => name);
    assert.deepEqual(names.slice(0, 2).toSorted(), ['probed', 'small']);
    assert.deepEqual(names.slice(2), ['spare', 'second spare', 'failing', 'limited']);
  }
});

test('the credential that has the prompt cached goes before weight, but neither before good health nor with weight 0', () => {
  const all = [
    { name: 'large', account: 'large', weight: 1_000 },
    { name: 'default', weight: 0.01 },
    { name: 'spare', account: 'spare', weight: 0 },
  ];
  const leadOf = (account: string | undefined, state: HealthState = 'healthy'): string | undefined => {
    const stateOf = (one: { account?: string | undefined }): HealthState =>
      one.account === account ? state : 'healthy';
    return orderCredentials(all, { seed: '1', stateOf, home: { account } })[0]?.name;
  };
  assert.deepEqual([leadOf(undefined), leadOf('large'), leadOf('spare')], ['default', 'large', 'large']);
  assert.equal(leadOf(undefined, 'poor'), 'large');
  assert.equal(leadOf('gone'), 'large');
});
