import type { Caller } from '#accounts';
import type { Mapping } from '#catalogue';
import type { Mirror } from '#routing';
import type { Arrival } from '../request/arrival.ts';
import type { Preferences } from '../request/options/preferences.ts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import type { RequestKind } from './request-kind.ts';
import { createIdentifier } from '#base';
import { GatewayError, toGatewayError } from '#errors';
import { assignVariant } from '#routing';
import { listRequestedTools } from '#wire';
import { DiscardedReply } from '../request/discarded-reply.ts';
import { quote } from '#catalogue';
import { permitElsewhere, permitMappings } from './mappings/permit.ts';
import { findSelected, unitOf } from './mappings/selection.ts';

/** Headers of an original that matter to its copy. */
const KEPT_HEADERS = ['content-type', 'anthropic-version', 'anthropic-beta', 'x-claude-code-session-id'];
const NO_PREFERENCES: Preferences = {
  isAsked: false,
  order: [],
  allowsFallbacks: true,
  fallbackModels: [],
  rules: [],
  models: [],
};

/** Sends a request through its path. */
type Serve = (ports: Ports, arrival: Arrival, kind: RequestKind) => Promise<void>;

interface Original {
  kind: RequestKind;
  bytes: Buffer;
}

/**
 * Plans the copy of a request that a mirror selects, if the copy can have no effect but its cost and the caller's rules
 * allow its destination. It is sent after the end of the original.
 */
export function planCopy(ports: Ports, trip: Trip, original: Original): PlannedCopy | undefined {
  const { mirrors } = ports.live().routing;
  if (!mirrors || !trip.facts.request || trip.arrival.isCopy || !isHarmless(trip)) return undefined;
  const mirror = findSelected(ports, trip, mirrors);
  if (!mirror || !isChosen(trip, mirror)) return undefined;
  const allowed = permitElsewhere(ports, trip, { name: mirror.to, operation: 'generations' });
  if (allowed.length === 0) return undefined;
  const release = ports.copies.take(mirror, original.bytes.length);
  if (!release) {
    ports.telemetry.mirrored({ mirror: mirror.name, requestId: trip.arrival.requestId, outcome: 'full' });
    return undefined;
  }
  return new PlannedCopy(ports, trip, { ...original, mirror, allowed, release });
}

/** Whether a copy has no side effects and needs nothing that belongs to the caller. */
function isHarmless({ facts: { request, memory, received } }: Trip): boolean {
  if (!request || memory || !received) return false;
  const { otherModels, accountObjects, unknownTools, isAnswerKept } = request;
  if (otherModels ?? accountObjects ?? unknownTools ?? isAnswerKept) return false;
  return listRequestedTools(request).length === 0;
}

function isChosen(trip: Trip, { name, to, percent, by }: Mirror): boolean {
  return assignVariant({ name, variants: [{ name, to, percent }] }, unitOf(trip, by)) !== undefined;
}

interface CopyParts extends Original {
  mirror: Mirror;
  /** Where the rules of the original's caller allow it. */
  allowed: readonly Mapping[];
  release(): void;
}

/** The copy of one request, which has a place among those under way. */
export class PlannedCopy {
  readonly #ports: Ports;
  readonly #original: Trip;
  readonly #parts: CopyParts;

  constructor(ports: Ports, original: Trip, parts: CopyParts) {
    this.#ports = ports;
    this.#original = original;
    this.#parts = parts;
  }

  /** Sends it in the background, if the original has reached a provider with the gateway's own credentials. */
  send(serve: Serve): void {
    const { copies } = this.#ports;
    const { dispatchedMs, credential } = this.#original.facts;
    const isComparable = dispatchedMs !== undefined && credential === 'gateway';
    if (!isComparable || copies.isClosed) {
      this.#parts.release();
      if (isComparable) this.#report('stopped');
      return;
    }
    const reply = new DiscardedReply();
    copies.add(reply);
    void this.#serve(serve, reply).finally(() => {
      this.#parts.release();
      copies.remove(reply);
    });
  }

  async #serve(serve: Serve, reply: DiscardedReply): Promise<void> {
    const { mirror } = this.#parts;
    try {
      const payer = await this.#ports.accounts.identifyById(mirror.key);
      this.#report('sent');
      await serve(this.#ports, this.#toArrival(reply), this.#toKind(payer));
    } catch (thrown) {
      this.#report('refused', `${mirror.key}: ${toGatewayError(thrown).message}`);
    }
  }

  #report(outcome: 'sent' | 'stopped' | 'refused', detail?: string): void {
    const { requestId } = this.#original.arrival;
    const { name } = this.#parts.mirror;
    this.#ports.telemetry.mirrored({
      mirror: name,
      requestId,
      outcome,
      ...(detail !== undefined && { detail }),
    });
  }

  /** A request of the gateway itself; its row names the original as the client's name for it. */
  #toArrival(reply: DiscardedReply): Arrival {
    const { arrival } = this.#original;
    const { mirror, bytes } = this.#parts;
    const kept = KEPT_HEADERS.map((name) => [name, arrival.headers[name]] as const);
    return {
      requestId: createIdentifier('req'),
      endpoint: `mirror/${mirror.name}`,
      format: arrival.format,
      model: arrival.model,
      headers: {
        ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
        'x-request-id': arrival.requestId,
        'x-no-cache': 'true',
      },
      startedAt: this.#ports.clock.now(),
      startedMs: this.#ports.clock.monotonicMs(),
      readBody: () => Promise.resolve(bytes),
      reply,
      isCopy: true,
    };
  }

  /** The steps of the original's kind, for another model on another account; nothing of the content is stored. */
  #toKind(payer: Caller): RequestKind {
    const { kind, mirror, allowed } = this.#parts;
    return {
      ...kind,
      keepsPayloads: false,
      identify: () => payer,
      receive: async (ports, trip) => {
        const bytes = await kind.receive(ports, trip);
        trip.set({ request: { ...trip.get('request'), model: mirror.to }, preferences: NO_PREFERENCES });
        return bytes;
      },
      permit: (ports, trip) => keepAllowed(permitMappings(ports, trip), allowed, mirror),
    };
  }
}

/** Both the rules of the caller and those of the payer apply. */
function keepAllowed(
  mappings: readonly Mapping[],
  allowed: readonly Mapping[],
  { to }: Mirror,
): readonly Mapping[] {
  const names = new Set(allowed.map(nameOf));
  const left = mappings.filter((mapping) => names.has(nameOf(mapping)));
  if (left.length > 0) return left;
  throw new GatewayError(
    'model_not_allowed',
    `no provider of model ${quote(to)} is allowed both to the caller of the original and to the key that pays for the copy`,
    { param: 'model' },
  );
}

function nameOf({ modelId, providerId, externalId }: Mapping): string {
  return JSON.stringify([modelId, providerId, externalId]);
}
