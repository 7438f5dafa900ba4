import type { CanonicalRequest, Target } from '#canonical';
import type { Exchange, OutboundFormat } from '#wire';

/** The addressee of an envelope. */
interface Addressee {
  request: CanonicalRequest;
  target: Target;
}

/**
 * Converts an exchange to the paths, headers and members that a cloud expects. The members it takes from the exchange
 * must not retain the exchange itself: its prompt is released once sent.
 */
export type Envelope = (exchange: Exchange, addressee: Addressee) => Exchange;

/** Converts a protocol's path below the base URL to the cloud's path for media. */
export type MediumAddress = (path: string, externalId: string) => string;

/** A format in a cloud's envelope. */
export function withEnvelope(format: OutboundFormat, envelope: Envelope | undefined): OutboundFormat {
  if (!envelope) return format;
  return {
    ...format,
    openExchange: (request, target) => envelope(format.openExchange(request, target), { request, target }),
  };
}
