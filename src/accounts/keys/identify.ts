import type { Clock } from '#base';
import { GatewayError } from '#errors';
import type { Caller } from '../caller.ts';
import type { RecallDigest } from './key-digest.ts';
import type { KeyFacts, KeySnapshot } from './key-snapshot.ts';
import { findKeyKind, isWellFormedKey } from './key-text.ts';

export interface IdentifyPorts {
  clock: Clock;
  snapshot: KeySnapshot;
  recallDigest: RecallDigest;
}

/** Whose credential this is; throws where it opens nothing. A key this process knows costs one hash and no query. */
export async function identifyCaller(ports: IdentifyPorts, credential: string): Promise<Caller> {
  const kind = findKeyKind(credential);
  if (kind === 'admin' || kind === 'session') {
    throw new GatewayError('wrong_credential', 'this endpoint takes regular API keys (slc_…) only');
  }
  if (kind === undefined || !isWellFormedKey('regular', credential)) {
    throw new GatewayError(
      'invalid_credential',
      'this is no API key of this gateway; keys start with "slc_"',
    );
  }
  const found = ports.snapshot.find(ports.recallDigest(credential));
  return getCaller(found instanceof Promise ? await found : found, ports.clock);
}

function getCaller(facts: KeyFacts | undefined, clock: Clock): Caller {
  if (facts === undefined) throw new GatewayError('invalid_credential', 'the API key is unknown');
  if (!facts.enabled) throw new GatewayError('invalid_credential', 'the API key is disabled');
  if (facts.expiresAtMs !== undefined && clock.monotonicMs() >= facts.expiresAtMs) {
    throw new GatewayError('invalid_credential', 'the API key has expired');
  }
  return facts.caller;
}
