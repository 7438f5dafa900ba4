import type { Catalogue, Mapping, Model } from '#catalogue';
import { resolveModel } from '#catalogue';
import { GatewayError } from '#errors';

/** The models a caller can name: the catalogue's and its organization's. */
interface Known {
  catalogue: Catalogue;
  own?: Catalogue | undefined;
}

/** What a name resolves to: a model with its active mappings, all or those the name pins. */
interface Named {
  catalogue: Catalogue;
  model: Model;
  mappings: readonly Mapping[];
  isPinned: boolean;
}

/** Looks in the caller's own models if the name is theirs, otherwise in the catalogue, which has precedence. */
export function getModel({ catalogue, own }: Known, name: string, now: number): Named {
  const wanted = name.trim();
  const isOwn = own?.providers.has(wanted.slice(0, Math.max(0, wanted.indexOf('/')))) === true;
  const place = isOwn && !catalogue.names.has(wanted.toLowerCase()) ? own : catalogue;
  const resolution = resolveModel(place, name, now);
  if (resolution.kind === 'unknown') throw createNoModel(name, resolution.closest);
  if (resolution.kind === 'found') return { catalogue: place, ...resolution };
  throw createDeactivated(name, resolution);
}

/** A model that its provider has shut down, and what replaces it. */
export function createDeactivated(
  name: string,
  { since, successor }: { since: string; successor?: string },
): GatewayError {
  const hint = successor === undefined ? '' : `; use ${successor} instead`;
  return new GatewayError(
    'model_deactivated',
    `model ${quote(name)} has been deactivated since ${since}${hint}`,
    { param: 'model' },
  );
}

/** An unknown name, and similar ones. */
export function createNoModel(name: string, closest: readonly string[]): GatewayError {
  const hint =
    closest.length === 0 ? 'GET /v1/models lists the catalogue' : `did you mean ${closest.join(', ')}?`;
  return new GatewayError('model_not_found', `model ${quote(name)} does not exist; ${hint}`, {
    param: 'model',
  });
}

/** A name as the caller wrote it, shortened. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
