import type { Experiment, Mirror } from '#routing';
import type { Ports } from '../../request/ports.ts';
import type { Trip } from '../../request/trip.ts';
import { findSelection } from '#routing';
import { getModel } from '../../request/options/get-model.ts';

/** The first selection that a request is part of; one that names a provider is part of none. */
export function findSelected<S extends Experiment | Mirror>(
  ports: Ports,
  trip: Trip,
  selections: readonly S[],
): S | undefined {
  const { caller, requestedModelId } = trip.facts;
  if (requestedModelId === undefined) return undefined;
  const live = ports.live(caller);
  const { model, isPinned } = getModel(live, trip.get('request').model, ports.clock.now());
  if (isPinned) return undefined;
  const { catalogue } = live;
  return findSelection(selections, { catalogue, modelId: model.id, projectId: caller?.projectId });
}

/** What stays together when requests are assigned to shares. */
export function unitOf({ facts, arrival }: Trip, by: Experiment['by']): string {
  const { caller, request, prompt } = facts;
  const units: Record<Experiment['by'], string | undefined> = {
    session: request?.sessionId ?? prompt?.conversation,
    key: caller?.keyId,
    'end-user': caller?.endUserId ?? request?.endUser ?? caller?.keyId,
    request: undefined,
  };
  return `${caller?.organizationId ?? ''} ${units[by] ?? arrival.requestId}`;
}
