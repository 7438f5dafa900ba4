import type { Catalogue, Mapping, Model, Resolution } from '#catalogue';
import { describeUnresolved, resolveModel } from '#catalogue';
import { GatewayError } from '#errors';

/** The models a caller can name: the catalogue's and its organization's. */
interface KnownModels {
  catalogue: Catalogue;
  own?: Catalogue | undefined;
}

/** What a name resolves to: a model with its active mappings, all or those the name pins. */
interface ResolvedName {
  catalogue: Catalogue;
  model: Model;
  mappings: readonly Mapping[];
  isPinned: boolean;
}

/** Longer than any model's name; looking up megabytes would block other requests. */
const LONGEST_NAME = 2_000;

type UnknownName = Extract<Resolution, { kind: 'unknown' }>;
type SuffixStrategy = Extract<Resolution, { kind: 'found' }>['strategy'];

const NO_MODEL: UnknownName = { kind: 'unknown', closest: [] };

/** Looks in the caller's own models if the name is theirs, otherwise in the catalogue, which has precedence. */
export function getModel({ catalogue, own }: KnownModels, name: string, now: number): ResolvedName {
  const { place, resolution } = resolveKnown({ catalogue, own }, name, now);
  if (resolution.kind === 'unknown') throw createNoModel(name, resolution);
  if (resolution.kind === 'found') return { catalogue: place, ...resolution };
  throw createDeactivated(name, resolution);
}

/** The strategy that the suffix of a name asks for; undefined without one, and where it names no model. */
export function findStrategy(known: KnownModels, name: string, now: number): SuffixStrategy | undefined {
  if (!name.includes(':')) return undefined;
  const { resolution } = resolveKnown(known, name, now);
  return resolution.kind === 'found' ? resolution.strategy : undefined;
}

function resolveKnown({ catalogue, own }: KnownModels, name: string, now: number) {
  if (name.length > LONGEST_NAME) return { place: catalogue, resolution: NO_MODEL };
  const wanted = name.trim();
  const isOwn = own?.providers.has(wanted.slice(0, Math.max(0, wanted.indexOf('/')))) === true;
  const place = isOwn && !catalogue.names.has(wanted.toLowerCase()) ? own : catalogue;
  return { place, resolution: resolveModel(place, name, now) };
}

/** A model that its provider has shut down, and what replaces it. */
export function createDeactivated(
  name: string,
  { since, successor }: { since: string; successor?: string },
): GatewayError {
  const ended = { kind: 'deactivated' as const, since, ...(successor !== undefined && { successor }) };
  return new GatewayError('model_deactivated', describeUnresolved(name, ended), { param: 'model' });
}

/** An unknown name, and similar ones. */
export function createNoModel(name: string, resolution: UnknownName = NO_MODEL): GatewayError {
  const { closest, reason } = resolution;
  const hint = closest.length === 0 && reason === undefined ? '; GET /v1/models lists the catalogue' : '';
  const text = describeUnresolved(name, resolution);
  return new GatewayError('model_not_found', `${text}${hint}`, { param: 'model' });
}
