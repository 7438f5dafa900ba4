import type { JsonObject } from '#base';
import type { ResourceRequest } from '#providers';
import type { VideoError } from './jobs/video-job.ts';
import type { VideoOrder } from './video-order.ts';

/** The order sent to a provider, with every option chosen. */
export interface ProviderOrder extends VideoOrder {
  externalId: string;
  seconds: number;
  size: string;
}

/** A video delivered inside its finished job. */
export interface InlineVideo {
  mediaType: string;
  bytes: Buffer;
}

/** The progress a provider reports. */
export type VideoProgress =
  | { status: 'queued' | 'in_progress'; progress?: number }
  /** `expiresAt` in milliseconds since the Unix epoch. */
  | { status: 'completed'; contentUrl: string; expiresAt?: number }
  /** The provider delivers the bytes in its answer and does not store them. */
  | { status: 'completed'; inline: InlineVideo }
  | { status: 'failed'; error: VideoError };

/** How video jobs are requested from a kind of provider: wire formats only. */
export interface VideoProtocol {
  /** How often polling is worthwhile. */
  pollMs: number;
  /** Throws GatewayError `unsupported_feature` naming what the protocol cannot express. */
  create(order: ProviderOrder, baseUrl: string): ResourceRequest;
  /** The provider's id for the job; absent if the answer has none. */
  readCreated(body: JsonObject): string | undefined;
  poll(upstreamId: string, baseUrl: string): ResourceRequest;
  /** The largest answer to a poll, for videos delivered in it. */
  mostPollBytes?: number;
  /** Absent if the answer is malformed. */
  readProgress(body: JsonObject, upstreamId: string): VideoProgress | undefined;
  /** Absent if jobs cannot be canceled. */
  cancel?(upstreamId: string, baseUrl: string): ResourceRequest;
  /** Absent if stored videos cannot be deleted. */
  remove?(upstreamId: string): ResourceRequest;
}
