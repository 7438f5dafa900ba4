import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Mapping, parsePrice } from '#catalogue';
import type { GatewayError } from '#errors';
import type { MediaTask } from '#media';
import type { Ports } from '../request/ports.ts';
import { createTrip } from '../../../test/support/create-trip.ts';
import { selectPriceableMedium } from './priceable-route.ts';

const MODIFIERS = { service_tier: { values: { flex: { factor: '0.5' } } } };
const PRICED = {
  modelId: 'm',
  providerId: 'priced',
  price: parsePrice({ input: '1', output: '2' }),
  modifiers: MODIFIERS,
};
const FREE = { modelId: 'm', providerId: 'free' };
const OTHER = { ...PRICED, providerId: 'other' };

interface Scene {
  serviceTier?: string;
  credential?: 'own' | 'gateway';
  allowUnpriced?: boolean;
}

/** The providers left of a route for media. */
function select(
  route: object[],
  { serviceTier, credential = 'gateway', allowUnpriced = false }: Scene,
): string {
  const task = (serviceTier === undefined ? {} : { serviceTier }) as MediaTask;
  const trip = createTrip({ task, credential });
  const ports = { live: () => ({ allowUnpriced }) } as unknown as Ports;
  const left = selectPriceableMedium(ports, trip, route as Mapping[]);
  return left.map(({ providerId }) => providerId).join(' ');
}

test('media are made where their service tier does not change the price, or nothing is charged', () => {
  const route = [PRICED, FREE, OTHER];
  for (const scene of [{}, { serviceTier: 'auto' }, { serviceTier: 'default' }])
    assert.equal(select(route, scene), 'priced free other');
  for (const serviceTier of ['flex', 'unknown']) assert.equal(select(route, { serviceTier }), 'free');
});

test('a tier without a price anywhere is refused by the name of the first provider', () => {
  assert.throws(
    () => select([PRICED, OTHER], { serviceTier: 'flex' }),
    ({ code, message, facts }: GatewayError) => {
      assert.match(message, /^service_tier: "flex" has no known price for model "m" at priced;/);
      return code === 'unpriced_option' && facts.param === 'service_tier';
    },
  );
});

test('any tier may be asked for with keys of one’s own, or where the operator allows it', () => {
  const scenes: Scene[] = [{ credential: 'own' }, { allowUnpriced: true }];
  for (const scene of scenes)
    assert.equal(select([PRICED, OTHER], { ...scene, serviceTier: 'flex' }), 'priced other');
});
