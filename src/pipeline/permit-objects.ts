import type { AccountObject, CanonicalRequest } from '#canonical';
import type { Mapping } from '#catalogue';
import type { PlacedObject } from '#objects';
import type { Ports } from './ports.ts';
import type { Trip } from './trip.ts';
import { GatewayError } from '#errors';
import { quote } from './get-model.ts';
import { understands } from './kin.ts';
import { ownerOf } from './keep-made.ts';
import { choosePurse } from './plan.ts';

/**
 * The mappings at which a request finds the objects it names. An organization's own key finds what is in its own account; with
 * the operator's, only what the caller has made here may be named, and only where it lies.
 */
export async function permitObjects(
  ports: Pick<Ports, 'live' | 'objects'>,
  trip: Trip,
  mappings: readonly Mapping[],
): Promise<readonly Mapping[]> {
  const { request } = trip.facts;
  const { accountObjects, unknownTools } = request ?? { ...trip.get('task'), unknownTools: undefined };
  if (!accountObjects && !unknownTools) return mappings;
  const { route } = choosePurse(ports, trip, mappings);
  const isOwn = trip.get('credential') === 'own';
  const isForeign = (mapping: Mapping): boolean => request !== undefined && !understands(mapping, request);
  const [tool] = unknownTools ?? [];
  if (tool && !isOwn && !route.every(isForeign)) throw toUnknownTool(tool);
  const named = accountObjects?.filter(({ isAddress }) => isAddress || !route.every(isForeign)) ?? [];
  if (named.length === 0) return mappings;
  const { providers } = ports.live(trip.get('caller'));
  const places = await findPlaces(ports, trip, named);
  const kept = isOwn || !request ? named : dropSpare(request, named, places);
  const liesAt = (mapping: Mapping, { name }: AccountObject): boolean => {
    const credentialId = isOwn ? providers.get(mapping.providerId)?.credentialId : undefined;
    return places.some(
      (place) =>
        place.id === name && place.providerId === mapping.providerId && place.credentialId === credentialId,
    );
  };
  const left = route.filter((mapping) => kept.every((object) => liesAt(mapping, object)));
  if (left.length > 0) return left;
  if (isOwn) return mappings;
  const missing = kept.find((object) => !route.some((mapping) => liesAt(mapping, object)));
  const object = missing ?? kept[0];
  if (!object) return mappings;
  const others = route.filter(isForeign);
  if (others.length > 0 && places.some(({ id, credentialId }) => id === object.name && !credentialId))
    return others;
  throw toNotAllowed(object, places);
}

/** Where the caller’s objects lie; no statement for what is none of anybody’s making here. */
async function findPlaces(
  { objects }: Pick<Ports, 'objects'>,
  trip: Trip,
  named: readonly AccountObject[],
): Promise<PlacedObject[]> {
  const ids = named.filter(({ isAddress }) => !isAddress).map(({ name }) => name);
  return ids.length === 0 ? [] : objects.find(ids, ownerOf(trip.get('caller')));
}

/** What an answer does without is left out where it is not the caller’s. */
function dropSpare(
  request: CanonicalRequest,
  named: readonly AccountObject[],
  places: readonly PlacedObject[],
): readonly AccountObject[] {
  const isLost = ({ name, isSpare }: AccountObject): boolean =>
    isSpare === true && !places.some(({ id, credentialId }) => id === name && !credentialId);
  const lost = named.filter(isLost);
  if (lost.length === 0) return named;
  const body = { ...request.origin.body };
  for (const { path } of lost) Reflect.deleteProperty(body, path.slice(0, path.indexOf('.')));
  request.origin = { ...request.origin, body };
  return named.filter((object) => !lost.includes(object));
}

function toUnknownTool({ name, path }: { name: string; path: string }): GatewayError {
  return new GatewayError(
    'unsupported_feature',
    `${path}: this gateway does not know the tool ${quote(name)}, nor what it costs; bring your own provider key to use it`,
    { param: path },
  );
}

function toNotAllowed({ name, path }: AccountObject, places: readonly PlacedObject[]): GatewayError {
  const elsewhere = places.find(({ id, credentialId }) => id === name && !credentialId);
  const reason = elsewhere
    ? `it lies at the provider ${elsewhere.providerId}, which is not asked for this model`
    : 'it lies in the account of this gateway’s operator, and this caller has not made it here (or it is gone)';
  return new GatewayError(
    'object_not_allowed',
    `${path}: ${quote(name)} may not be used: ${reason}; bring your own provider key to use what is in your own account`,
    { param: path },
  );
}
