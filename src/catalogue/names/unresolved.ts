import type { Resolution } from './resolve-model.ts';
import { GatewayError } from '#errors';

type Unresolved = Exclude<Resolution, { kind: 'found' }>;

const LONGEST_NAME = 200;

/** Why a name selects no model, and which name does. */
export function describeUnresolved(name: string, resolution: Unresolved): string {
  if (resolution.kind === 'unknown') {
    const { closest, reason } = resolution;
    const hint = closest.length === 0 ? '' : `; did you mean ${closest.join(', ')}?`;
    return `model ${quote(name)} does not exist${reason === undefined ? '' : `: ${reason}`}${hint}`;
  }
  const { since, successor } = resolution;
  const hint = successor === undefined ? '' : `; use ${successor} instead`;
  return `model ${quote(name)} has been deactivated since ${since}${hint}`;
}

/** The error for a model name that does not resolve. */
export function createUnresolved(name: string, resolution: Unresolved): GatewayError {
  const text = describeUnresolved(name, resolution);
  return new GatewayError('invalid_request', text, { param: 'model', missing: 'model' });
}

/** A name as the caller wrote it, shortened. */
export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text);
}
