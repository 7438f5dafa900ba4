import type { Caller } from '#accounts';
import type { MediaOperation, Mapping, Model, Operation } from '#catalogue';
import type { LiveSettings, Ports } from '../../request/ports.ts';
import { select } from '#base';
import { supportsOperation, isActive, operationsOf, quote } from '#catalogue';
import { GatewayError } from '#errors';
import { MEDIA } from '#media';
import { createDeactivated, getModel } from '../../request/options/get-model.ts';

/** The endpoints of the operations that are no media. */
const ENDPOINTS: Record<Exclude<Operation, MediaOperation>, string> = {
  generations: '/v1/chat/completions, /v1/messages or /v1/responses',
  videos: '/v1/videos',
};

/** A model as requested. */
interface RequestedModel {
  caller: Caller;
  name: string;
  operation: Operation;
}

/** Finds the mappings for a model name: known, active, able, priced and with a callable provider. */
export function resolve(ports: Pick<Ports, 'live' | 'clock'>, wanted: RequestedModel): readonly Mapping[] {
  const { caller, name, operation } = wanted;
  const live = ports.live(caller);
  const now = ports.clock.now();
  const { model, mappings } = getModel(live, name, now);
  const able = select(mappings, (mapping) => supportsOperation(mapping, operation));
  if (able.length === 0) throw toUnable(name, mappings);
  const callable = select(able, ({ providerId }) => live.providers.has(providerId));
  if (callable.length === 0) {
    const ended = findEnded(model, live, now);
    throw ended ? createDeactivated(name, ended) : toUnconfigured(name, able, live);
  }
  const priced = select(callable, ({ price }) => price !== undefined || live.allowUnpriced);
  if (priced.length === 0) {
    throw new GatewayError(
      'unpriced_model',
      `model ${quote(name)} has no price; the operator can set one in sluice.yaml or set allowUnpriced`,
      { param: 'model' },
    );
  }
  return priced;
}

function findEndpoint(operation: Operation): string {
  return operation === 'generations' || operation === 'videos' ? ENDPOINTS[operation] : MEDIA[operation].path;
}

function toUnable(name: string, mappings: readonly Mapping[]): GatewayError {
  const places = [...new Set(mappings.flatMap(operationsOf))].map(findEndpoint);
  return new GatewayError(
    'wrong_operation',
    `model ${quote(name)} does not support this operation; use it at ${places.join(' and ')}`,
    { param: 'model' },
  );
}

/** When a configured provider shut the model down that other providers still serve. */
function findEnded({ mappings, successor }: Model, { providers }: LiveSettings, now: number) {
  const ended = mappings.find((mapping) => providers.has(mapping.providerId) && !isActive(mapping, now));
  if (ended?.deactivatedAt === undefined) return undefined;
  const since = new Date(ended.deactivatedAt).toISOString().slice(0, 10);
  return { since, ...(successor !== undefined && { successor }) };
}

function toUnconfigured(name: string, mappings: readonly Mapping[], live: LiveSettings): GatewayError {
  const settings = new Set(
    mappings.flatMap(({ providerId }) => live.catalogue.providers.get(providerId)?.env[0] ?? []),
  );
  const hint =
    settings.size === 0
      ? 'set the apiKey of one of its providers in sluice.yaml'
      : `set ${[...settings].slice(0, 5).join(' or ')}`;
  return new GatewayError(
    'provider_not_configured',
    `no provider of model ${quote(name)} has a credential on this gateway; ${hint}`,
    { param: 'model' },
  );
}
