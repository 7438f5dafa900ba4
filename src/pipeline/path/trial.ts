import type { Mapping } from '#catalogue';
import type { Experiment, ExperimentVariant } from '#routing';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { assignVariant } from '#routing';
import { permitElsewhere } from './mappings/permit.ts';
import { findPayer } from './mappings/plan.ts';
import { findSelected, unitOf } from './mappings/selection.ts';

/** The name of the group without a variant. */
const CONTROL = 'control';

/**
 * Adds the mappings of the variant that a request is assigned to, if it takes part in an experiment: one that names no
 * provider and may use every variant, so that the groups differ in nothing else.
 */
export function addTrial(ports: Ports, trip: Trip, mappings: readonly Mapping[]): readonly Mapping[] {
  const experiment = findExperiment(ports, trip);
  if (!experiment) return mappings;
  const { serves } = findPayer(ports, trip, mappings);
  const offers = experiment.variants.map(({ to }) => {
    const permitted = permitElsewhere(ports, trip, { name: to, operation: 'generations' });
    return [to, permitted.filter(serves)] as const;
  });
  if (offers.some(([, offered]) => offered.length === 0)) return mappings;
  const variant = assignVariant(experiment, unitOf(trip, experiment.by));
  const chosen = offers.find(([to]) => to === variant?.to)?.[1] ?? [];
  trip.set({ trial: { name: nameOf(experiment, variant), mappings: new Set(chosen) } });
  return [...new Set([...mappings, ...chosen])];
}

function findExperiment(ports: Ports, trip: Trip): Experiment | undefined {
  const { caller, preferences } = trip.facts;
  const { experiments } = ports.live(caller).routing;
  if (!experiments || preferences?.isAsked === true) return undefined;
  return findSelected(ports, trip, experiments);
}

/** What an attempt of it is recorded with: `experiment/variant`. */
function nameOf({ name }: Experiment, variant: ExperimentVariant | undefined): string {
  return `${name}/${variant?.name ?? CONTROL}`;
}
