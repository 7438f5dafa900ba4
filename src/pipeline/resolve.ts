import type { Caller } from '#accounts';
import type { Mapping, Operation, Resolution } from '#catalogue';
import type { LiveSettings, Ports } from './ports.ts';
import { canDo, operationsOf, resolveModel } from '#catalogue';
import { GatewayError } from '#errors';

/** Where each operation is asked for. */
const ENDPOINTS: Record<Operation, string> = {
  generations: '/v1/chat/completions, /v1/messages or /v1/responses',
  embeddings: '/v1/embeddings',
  images: '/v1/images/generations',
  speech: '/v1/audio/speech',
  transcriptions: '/v1/audio/transcriptions',
  moderations: '/v1/moderations',
  rerank: '/v1/rerank',
  videos: '/v1/videos',
};

/** A model as somebody asks for it. */
export interface Wanted {
  caller: Caller;
  name: string;
  operation: Operation;
}

/** Finds the mappings a model name may be served by: known, active, able, priced and with a provider that can be called. */
export function resolve(ports: Pick<Ports, 'live' | 'clock'>, wanted: Wanted): Mapping[] {
  const { caller, name, operation } = wanted;
  const live = ports.live(caller);
  const resolution = findModel(live, name, ports.clock.now());
  if (resolution.kind === 'unknown') throw toUnknown(name, resolution.closest);
  if (resolution.kind === 'deactivated') {
    const successor = resolution.successor === undefined ? '' : `; use ${resolution.successor} instead`;
    throw new GatewayError(
      'model_deactivated',
      `model ${quote(name)} has been deactivated since ${resolution.since}${successor}`,
      { param: 'model' },
    );
  }
  const able = resolution.mappings.filter((mapping) => canDo(mapping, operation));
  if (able.length === 0) throw toUnable(name, resolution.mappings);
  const callable = able.filter((mapping) => live.providers.has(mapping.providerId));
  if (callable.length === 0) throw toUnconfigured(name, able, live);
  const priced = callable.filter((mapping) => mapping.price !== undefined || live.allowUnpriced);
  if (priced.length === 0) {
    throw new GatewayError(
      'unpriced_model',
      `model ${quote(name)} has no price; the operator can give it one in sluice.yaml or set allowUnpriced`,
      { param: 'model' },
    );
  }
  return priced;
}

/** Among the caller's own models where the name says so, else in the catalogue, whose names come first. */
function findModel({ catalogue, own }: LiveSettings, name: string, now: number): Resolution {
  const wanted = name.trim();
  const isOwn = own?.providers.has(wanted.slice(0, Math.max(0, wanted.indexOf('/')))) === true;
  return isOwn && !catalogue.names.has(wanted.toLowerCase())
    ? resolveModel(own, name, now)
    : resolveModel(catalogue, name, now);
}

function toUnknown(name: string, closest: readonly string[]): GatewayError {
  const hint =
    closest.length === 0 ? 'GET /v1/models lists the catalogue' : `did you mean ${closest.join(', ')}?`;
  return new GatewayError('model_not_found', `model ${quote(name)} does not exist; ${hint}`, {
    param: 'model',
  });
}

function toUnable(name: string, mappings: readonly Mapping[]): GatewayError {
  const places = [...new Set(mappings.flatMap(operationsOf))].map((operation) => ENDPOINTS[operation]);
  return new GatewayError(
    'wrong_operation',
    `model ${quote(name)} cannot be asked for this; it answers at ${places.join(' and ')}`,
    { param: 'model' },
  );
}

function toUnconfigured(name: string, mappings: readonly Mapping[], live: LiveSettings): GatewayError {
  const settings = new Set(
    mappings.flatMap(({ providerId }) => live.catalogue.providers.get(providerId)?.env[0] ?? []),
  );
  const hint =
    settings.size === 0
      ? 'give one of its providers an apiKey in sluice.yaml'
      : `set ${[...settings].slice(0, 5).join(' or ')}`;
  return new GatewayError(
    'provider_not_configured',
    `no provider of model ${quote(name)} has a credential on this gateway; ${hint}`,
    { param: 'model' },
  );
}

function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
