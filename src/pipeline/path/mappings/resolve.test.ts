import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping, Operation } from '#catalogue';
import { GatewayError } from '#errors';
import type { Ports } from '../../request/ports.ts';
import { resolve } from './resolve.ts';

interface World {
  mapping?: Partial<Mapping>;
  /** Variables with the key of the model's provider. */
  env?: string[];
  isConfigured?: boolean;
  allowUnpriced?: boolean;
  operation?: Operation;
  /** How the model is named; `m` by default. */
  name?: string;
  /** The model, if more than its one mapping matters. */
  model?: object;
  /** Further providers, each with a variable named after it. */
  providers?: string[];
}

/** Resolves the only model there is: its providers, or the error. */
function ask({
  mapping,
  env = [],
  isConfigured = true,
  allowUnpriced = false,
  operation = 'generations',
  name = 'm',
  model,
  providers = [],
}: World) {
  const one = { modelId: 'm', providerId: 'acme', externalId: 'm', price: {}, ...mapping };
  const others = providers.map((id) => [id, { id, env: [`${id.toUpperCase()}_KEY`] }] as const);
  const live = {
    allowUnpriced,
    catalogue: {
      names: new Map([['m', 'm']]),
      models: new Map([['m', model ?? { id: 'm', mappings: [one] }]]),
      providers: new Map<string, object>([['acme', { id: 'acme', env }], ...others]),
    },
    providers: new Map(isConfigured ? [['acme', {}]] : []),
  };
  const ports = { live: () => live, clock: { now: () => 0 } } as unknown as Ports;
  try {
    return resolve(ports, { caller: {} as never, name, operation }).map(({ providerId }) => providerId);
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    return `${error.code}: ${error.message}`;
  }
}

test('a model is served by those of its providers that are configured, can do it and have a price', () => {
  assert.deepEqual(ask({}), ['acme']);
  assert.match(
    String(ask({ operation: 'rerank' })),
    /^wrong_operation: .*use it at \/v1\/chat\/completions, /,
  );
  assert.match(String(ask({ mapping: { price: undefined } as never })), /^unpriced_model: /);
  assert.deepEqual(ask({ mapping: { price: undefined } as never, allowUnpriced: true }), ['acme']);
});

test('if no provider is configured, the error names the variables to set, or the file', () => {
  const isConfigured = false;
  assert.match(
    String(ask({ isConfigured })),
    /^provider_not_configured: .*; set the apiKey of one of its providers in sluice\.yaml$/,
  );
  assert.match(
    String(ask({ isConfigured, env: ['ACME_KEY', 'OTHER'] })),
    /^provider_not_configured: .*; set ACME_KEY$/,
  );
  const providers = Array.from({ length: 7 }, (_, index) => `p${index}`);
  const mappings = providers.map((providerId) => ({ providerId, externalId: 'm', price: {} }));
  assert.match(
    String(ask({ isConfigured, model: { id: 'm', mappings }, providers })),
    /; set P0_KEY or P1_KEY or P2_KEY or P3_KEY or P4_KEY$/,
  );
});

test('a model that the configured provider shut down is reported as such, although others serve it', () => {
  const shutDown = { deactivatedAt: 0, modelId: 'm', providerId: 'acme', externalId: 'm', price: {} };
  const elsewhere = { ...shutDown, providerId: 'other', deactivatedAt: undefined };
  const model = { id: 'm', successor: 'n', mappings: [shutDown, elsewhere] };
  assert.equal(
    ask({ model }),
    'model_deactivated: model "m" has been deactivated since 1970-01-01; use n instead',
  );
  assert.match(String(ask({ model, isConfigured: false })), /^provider_not_configured: /);
});

test('a name longer than any model’s is not looked up', () => {
  assert.deepEqual(ask({ name: `m${' '.repeat(1_000)}` }), ['acme']);
  assert.match(String(ask({ name: `m${' '.repeat(2_000)}` })), /^model_not_found: model "m {9,}/);
});
