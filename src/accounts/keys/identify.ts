import type { Clock } from '#base';
import { GatewayError } from '#errors';
import type { Caller } from '../caller.ts';
import type { RecallDigest } from '../secrets/key-digest.ts';
import type { KeyFacts } from './key-facts.ts';
import type { KeySnapshot } from './key-snapshot.ts';
import { type KeyKind, findKeyKind, isWellFormedKey } from './key-text.ts';

interface IdentifyPorts {
  clock: Clock;
  snapshot: KeySnapshot;
  recallDigest: RecallDigest;
}

/** Which credentials are accepted: regular API keys and, if requested, session tokens. */
export interface AcceptedCredentials {
  sessions?: boolean;
}

/**
 * Resolves a credential to its caller; throws if it is not valid. A cached one costs one hash, no query and no wait.
 */
export function identifyCaller(
  ports: IdentifyPorts,
  credential: string,
  { sessions = false }: AcceptedCredentials = {},
): Caller | Promise<Caller> {
  const kind = findKeyKind(credential);
  if (kind === 'admin' || (kind === 'session' && !sessions)) {
    const taken = sessions
      ? 'API keys (slc_…) and session tokens (slcses_…)'
      : 'regular API keys (slc_…) only';
    throw new GatewayError('wrong_credential', `this endpoint takes ${taken}`);
  }
  if (kind === undefined || !isWellFormedKey(kind, credential)) throw createMalformed(kind);
  const found = ports.snapshot.find(ports.recallDigest(credential));
  if (!(found instanceof Promise)) return getCaller(found, kind, ports.clock);
  return found.then((facts) => getCaller(facts, kind, ports.clock));
}

/** The caller of a key, found by its id, for requests that the gateway makes itself. Throws like `identifyCaller`. */
export async function identifyById(
  { clock, snapshot }: Pick<IdentifyPorts, 'clock' | 'snapshot'>,
  keyId: string,
): Promise<Caller> {
  return getCaller(await snapshot.find(keyId), 'regular', clock);
}

function createMalformed(kind: KeyKind | undefined): GatewayError {
  const message =
    kind === undefined
      ? 'this is not an API key of this gateway; keys start with "slc_"'
      : `this ${kind === 'session' ? 'session token' : 'API key'} is incomplete or mistyped; copy it again`;
  return new GatewayError('invalid_credential', message);
}

function getCaller(facts: KeyFacts | undefined, kind: KeyKind, clock: Clock): Caller {
  const refusal =
    facts === undefined
      ? `the ${kind === 'session' ? 'session token' : 'API key'} is unknown`
      : (facts.refusal ?? findEnd(facts, clock));
  if (facts === undefined || refusal !== undefined)
    throw new GatewayError('invalid_credential', refusal ?? 'the credential is unknown');
  return facts.caller;
}

function findEnd({ end }: KeyFacts, clock: Clock): string | undefined {
  return end !== undefined && clock.monotonicMs() >= end.atMs ? end.refusal : undefined;
}
