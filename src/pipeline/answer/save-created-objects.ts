import type { Caller } from '#accounts';
import type { GenerationEvent } from '#canonical';
import type { ObjectOwner } from '#objects';
import type { Provider } from '#providers';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { holderOf } from '#accounts';
import { accountOf } from '#providers';
import { listCreatedObjects } from '#wire';
import { CreatedObjects } from '../request/created-objects.ts';
import { saveInTime } from '../request/save-in-time.ts';

/** Notes the objects an event reports as created in the provider's account. */
export function recordCreatedObjects(trip: Trip, event: GenerationEvent, provider: Provider): void {
  const { request } = trip.facts;
  const account = { providerId: provider.id, credentialId: accountOf(provider) };
  const created = listCreatedObjects(event);
  const isKept = request?.isAnswerKept === true && event.type === 'generation-start';
  if (created.length === 0 && !isKept) return;
  const found = trip.facts.createdObjects ?? new CreatedObjects();
  trip.set({ createdObjects: found });
  for (const object of created) found.add(object, account);
  if (isKept) found.add({ id: event.id }, account);
}

/**
 * Whose objects a caller may name: its organization's, or, with a session token, only those created for the token's
 * holder, since holders are strangers to one another.
 */
export function ownerOf(caller: Caller): ObjectOwner {
  const { organizationId, projectId } = caller;
  const holder = holderOf(caller);
  return { organizationId, ...(holder !== undefined && { holder: `${projectId}/${holder}` }) };
}

/** Records the objects an answer created; if that fails, they cannot be named. */
export async function saveCreatedObjects(ports: Ports, trip: Trip): Promise<void> {
  const { createdObjects, caller } = trip.facts;
  if (!createdObjects || !caller) return;
  const owner = ownerOf(caller);
  const saved = createdObjects.accounts.map(({ created, account }) =>
    ports.objects.save(created, account, owner),
  );
  await saveInTime(ports, trip, Promise.all(saved));
}
