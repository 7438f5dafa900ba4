import type { Mapping, Resolution } from '#catalogue';
import type { LiveSettings, Ports } from './ports.ts';
import type { Trip } from './trip.ts';
import { resolveModel } from '#catalogue';
import { GatewayError } from '#errors';

/** Finds the mappings a model name may be served by: known, active, priced and with a provider that can be called. */
export function resolve(ports: Pick<Ports, 'live' | 'clock'>, trip: Trip): Mapping[] {
  const live = ports.live(trip.get('caller'));
  const name = trip.get('request').model;
  const resolution = findModel(live, name, ports.clock.now());
  if (resolution.kind === 'unknown') throw toUnknown(name, resolution.closest);
  if (resolution.kind === 'deactivated') {
    const successor = resolution.successor === undefined ? '' : `; use ${resolution.successor} instead`;
    throw new GatewayError(
      'model_deactivated',
      `model ${quote(name)} has been deactivated since ${resolution.since}${successor}`,
    );
  }
  const callable = resolution.mappings.filter((mapping) => live.providers.has(mapping.providerId));
  if (callable.length === 0) throw toUnconfigured(name, resolution.mappings, live);
  const priced = callable.filter((mapping) => mapping.price !== undefined || live.allowUnpriced);
  if (priced.length === 0) {
    throw new GatewayError(
      'unpriced_model',
      `model ${quote(name)} has no price; the operator can give it one in sluice.yaml or set allowUnpriced`,
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
