import type { Clock, JsonObject } from '#base';

/** Rows that are delivered together. */
export interface Batch {
  /** The same whenever it is sent. */
  id: string;
  /** The positions of its first and last row. */
  first: bigint;
  last: bigint;
  /** When the first and the last row became final, in milliseconds since the Unix epoch. */
  firstAt: number;
  lastAt: number;
  /** One JSON text per row. */
  lines: readonly string[];
}

/** State that a destination keeps with the cursor. */
type DestinationState = JsonObject;

/** Where rows go. */
export interface Destination {
  /** Resolves once the batch is safe there, with what to keep alongside the cursor. Throws with a reason that has no secret. */
  deliver(batch: Batch, state: DestinationState | undefined): Promise<DestinationState | undefined>;
}

/** A request to a destination. */
interface OutgoingRequest {
  method: 'POST' | 'PUT';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /** Ends it. */
  signal?: AbortSignal;
}

/** What destinations use. */
export interface DestinationPorts {
  clock: Clock;
  /** Resolves with the status and, of a refusal, the beginning of the answer. Throws if there is none. Follows no redirect. */
  send(request: OutgoingRequest): Promise<{ status: number; text: string }>;
  /** What removes secrets from a text, wherever it quotes them. */
  createRedactor(secrets: readonly string[]): (text: string) => string;
  /** Signs a request to a service of AWS or one that is compatible: returns all its headers. */
  signAws(request: OutgoingRequest, options: AwsSigning): Promise<Record<string, string>>;
}

interface AwsSigning {
  service: string;
  region: string;
  keys: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}
