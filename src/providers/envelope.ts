import type { CanonicalRequest, Target } from '#canonical';
import type { Exchange, OutboundFormat } from '#wire';

/** What an envelope is addressed by. */
interface Addressee {
  request: CanonicalRequest;
  target: Target;
}

/**
 * Puts an exchange of a format into the paths, headers and members that a cloud wants around it. The members it takes from
 * the exchange must not keep the exchange itself alive: its prompt is let go of once it is sent.
 */
export type Envelope = (exchange: Exchange, addressee: Addressee) => Exchange;

/** Where a cloud wants to be asked for what is no text generation: a path below the base URL for one of a protocol's. */
export type MediumAddress = (path: string, externalId: string) => string;

/** A format as one cloud wants it addressed. */
export function withEnvelope(format: OutboundFormat, envelope: Envelope | undefined): OutboundFormat {
  if (!envelope) return format;
  return {
    ...format,
    openExchange: (request, target) => envelope(format.openExchange(request, target), { request, target }),
  };
}
