import type { AccountObject, CanonicalRequest, References } from '#canonical';
import type { Mapping } from '#catalogue';
import type { PlacedObject } from '#objects';
import type { LiveSettings, Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { createParamError, type GatewayError } from '#errors';
import { DEFAULT_CREDENTIAL, quote } from '#catalogue';
import { accountOf } from '#providers';
import { toAccountName } from '../attempt/candidate.ts';
import { sharesFields } from '../price/shared-fields.ts';
import { ownerOf } from '../answer/save-created-objects.ts';
import { isObjectId } from '../request/created-objects.ts';
import { selectByCredential } from './mappings/plan.ts';
import { findConversation } from '../request/find-conversation.ts';
import { refuseThread } from './refuse-thread.ts';

/**
 * The mappings at which a request may use the objects it names. An organization's own key reaches its own account;
 * with the operator's, a request may only name objects the caller created through this gateway, at the provider that
 * has them.
 */
export function permitObjects(
  ports: Pick<Ports, 'live' | 'objects'>,
  trip: Trip,
  mappings: readonly Mapping[],
): readonly Mapping[] | Promise<readonly Mapping[]> {
  const { accountObjects, unknownTools } = referencesOf(trip);
  return accountObjects || unknownTools ? permitNamed(ports, trip, mappings) : mappings;
}

function referencesOf(trip: Trip): References {
  return trip.facts.request ?? trip.get('task');
}

async function permitNamed(
  ports: Pick<Ports, 'live' | 'objects'>,
  trip: Trip,
  mappings: readonly Mapping[],
): Promise<readonly Mapping[]> {
  const { request } = trip.facts;
  const { accountObjects, unknownTools } = referencesOf(trip);
  const route = selectByCredential(ports, trip, mappings);
  const foreign = request ? route.filter((mapping) => !sharesFields(mapping, request)) : [];
  const isAllForeign = foreign.length === route.length;
  const live = ports.live(trip.get('caller'));
  const isOwn = trip.get('credential') === 'own';
  const conversation = findConversation(accountObjects);
  if (conversation && isAllForeign) throw refuseThread(conversation);
  const [tool] = unknownTools ?? [];
  if (tool && !isOwn && !live.allowUnpriced && !isAllForeign) throw toUnknownTool(tool);
  const named = accountObjects?.filter(({ isAddress }) => isAddress || !isAllForeign) ?? [];
  if (named.length === 0) return mappings;
  const places = new Places(await findPlaces(ports, trip, named), live);
  if (isOwn) {
    const credentialOf = ({ providerId }: Mapping) => live.providers.get(providerId)?.credentialId;
    const left = route.filter((mapping) => places.haveAll(named, mapping, credentialOf(mapping)));
    return left.length > 0 ? left : mappings;
  }
  const kept = request ? dropSpare(request, named, places) : named;
  const left = route.filter((mapping) => places.listAccounts(kept, mapping).length > 0);
  if (kept.length > 0)
    trip.set({ accounts: new Set(left.flatMap((mapping) => places.listAccounts(kept, mapping))) });
  const missing = kept.find(({ name }) => places.findProvider(name) === undefined) ?? kept[0];
  if (left.length > 0 || !missing) return left.length > 0 ? left : mappings;
  const providerId = places.findProvider(missing.name);
  if (providerId !== undefined && foreign.length > 0 && !missing.isConversation) return foreign;
  throw toNotAllowed(missing, providerId);
}

/** Where the objects of one request are stored. */
class Places {
  readonly #keys: ReadonlySet<string>;
  readonly #live: Pick<LiveSettings, 'pools'>;
  /** Providers of objects in the operator's accounts. */
  readonly #providers = new Map<string, string>();

  constructor(places: readonly PlacedObject[], live: Pick<LiveSettings, 'pools'>) {
    this.#live = live;
    this.#keys = new Set(places.map((place) => toKey(place.id, place.providerId, place.credentialId)));
    for (const { id, providerId, credentialId } of places)
      if (this.#credentialsOf(providerId).some(({ account }) => account === credentialId))
        this.#providers.set(id, providerId);
  }

  haveAll(objects: readonly AccountObject[], { providerId }: Mapping, credentialId?: string): boolean {
    return objects.every(({ name }) => this.#keys.has(toKey(name, providerId, credentialId)));
  }

  /** The operator's accounts at the provider of a mapping that have all of these objects. */
  listAccounts(objects: readonly AccountObject[], mapping: Mapping): string[] {
    return this.#credentialsOf(mapping.providerId)
      .filter(({ account }) => this.haveAll(objects, mapping, account))
      .map(({ name }) => toAccountName(mapping.providerId, name));
  }

  /** The provider that has an object in the operator's account. */
  findProvider(name: string): string | undefined {
    return this.#providers.get(name);
  }

  #credentialsOf(providerId: string): { name: string; account: string | undefined }[] {
    const pool = this.#live.pools?.get(providerId);
    if (!pool) return [{ name: DEFAULT_CREDENTIAL, account: undefined }];
    return pool.map(({ name, provider }) => ({ name, account: accountOf(provider) }));
  }
}

function toKey(id: string, providerId: string, credentialId = ''): string {
  return JSON.stringify([id, providerId, credentialId]);
}

/** Where the caller's objects are stored; skips the query if none was created through this gateway. */
async function findPlaces(
  { objects }: Pick<Ports, 'objects'>,
  trip: Trip,
  named: readonly AccountObject[],
): Promise<PlacedObject[]> {
  const ids = named.filter(({ isAddress, name }) => !isAddress && isObjectId(name)).map(({ name }) => name);
  return ids.length === 0 ? [] : objects.find(ids, ownerOf(trip.get('caller')));
}

/** Drops optional references to objects that are not the caller's. */
function dropSpare(
  request: CanonicalRequest,
  named: readonly AccountObject[],
  places: Places,
): readonly AccountObject[] {
  const lost = named.filter(({ name, isSpare }) => isSpare && places.findProvider(name) === undefined);
  if (lost.length === 0) return named;
  const body = { ...request.origin.body };
  for (const { path } of lost) Reflect.deleteProperty(body, path.slice(0, path.indexOf('.')));
  request.origin = { ...request.origin, body };
  return named.filter((object) => !lost.includes(object));
}

function toUnknownTool({ name, path }: { name: string; path: string }): GatewayError {
  const complaint = `this gateway does not know the tool ${quote(name)}, nor what it costs; bring your own provider key to use it`;
  return createParamError(path, complaint, 'unsupported_feature');
}

function toNotAllowed(object: AccountObject, providerId: string | undefined): GatewayError {
  const { name, path } = object;
  if (object.isConversation) return refuseThread(object);
  const reason = object.isAddress
    ? 'it is not a public http or https address, and the provider would read it with the account of this gateway’s operator'
    : providerId === undefined
      ? 'it is in the account of this gateway’s operator, and this caller has not created it here (or it has been deleted)'
      : `it is stored at the provider ${providerId}, which does not serve this model`;
  const complaint = `${quote(name)} may not be used: ${reason}; bring your own provider key to use what is in your own account`;
  return createParamError(path, complaint, 'object_not_allowed');
}
