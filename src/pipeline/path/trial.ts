import type { Mapping } from '#catalogue';
import type { Experiment, Variant } from '#routing';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { assign } from '#routing';
import { getModel } from '../request/get-model.ts';
import { permitElsewhere } from './permit.ts';

/** The variant of those that no variant has. */
const CONTROL = 'control';

/**
 * Adds the mappings of the variant that a request is assigned to, if it takes part in an experiment: one that names no
 * provider and may use every variant, so that the groups differ in nothing else.
 */
export function addTrial(ports: Ports, trip: Trip, mappings: readonly Mapping[]): readonly Mapping[] {
  const experiment = findExperiment(ports, trip);
  if (!experiment) return mappings;
  const offers = experiment.variants.map(
    ({ to }) => [to, permitElsewhere(ports, trip, { name: to, operation: 'generations' })] as const,
  );
  if (offers.some(([, offered]) => offered.length === 0)) return mappings;
  const variant = assign(experiment, unitOf(trip, experiment));
  const chosen = offers.find(([to]) => to === variant?.to)?.[1] ?? [];
  trip.note({ trial: { name: nameOf(experiment, variant), mappings: new Set(chosen) } });
  return [...new Set([...mappings, ...chosen])];
}

function findExperiment(ports: Ports, trip: Trip): Experiment | undefined {
  const { caller, preferences } = trip.facts;
  const live = ports.live(caller);
  const { experiments } = live.routing;
  if (!experiments || preferences?.isAsked === true) return undefined;
  const now = ports.clock.now();
  const { model, isPinned } = getModel(live, trip.get('request').model, now);
  if (isPinned) return undefined;
  return experiments.find(
    ({ model: name, projects }) =>
      (projects?.includes(caller?.projectId ?? '') ?? true) &&
      live.catalogue.names.get(name.toLowerCase()) === model.id,
  );
}

/** What an attempt of it is noted with: `experiment/variant`. */
function nameOf({ name }: Experiment, variant: Variant | undefined): string {
  return `${name}/${variant?.name ?? CONTROL}`;
}

function unitOf({ facts, arrival }: Trip, { by }: Experiment): string {
  const { caller, request, prompt } = facts;
  const units: Record<Experiment['by'], string | undefined> = {
    session: request?.sessionId ?? prompt?.conversation,
    key: caller?.keyId,
    'end-user': caller?.endUserId ?? request?.endUser ?? caller?.keyId,
    request: undefined,
  };
  return `${caller?.organizationId ?? ''} ${units[by] ?? arrival.requestId}`;
}
