import type { JsonObject } from '#base';
import type { ResourceRequest } from '#providers';
import type { InlineVideo } from './content/stored-content.ts';
import type { VideoError } from './jobs/video-job.ts';
import type { VideoOrder } from './video-order.ts';

/** What a provider is asked to make: the order with nothing left open. */
export interface ProviderOrder extends VideoOrder {
  externalId: string;
  seconds: number;
  size: string;
}

/** How far a provider has come. */
export type VideoProgress =
  | { status: 'queued' | 'in_progress'; progress?: number }
  /** `expiresAt` in milliseconds since the Unix epoch. */
  | { status: 'completed'; contentUrl: string; expiresAt?: number }
  /** The provider hands the bytes over, and keeps none. */
  | { status: 'completed'; inline: InlineVideo }
  | { status: 'failed'; error: VideoError };

/** How providers of a kind are asked for videos: bytes on the wire, nothing else. */
export interface VideoProtocol {
  /** How often a job is worth asking for. */
  pollMs: number;
  /** Throws GatewayError `unsupported_feature` naming what cannot be said. */
  create(order: ProviderOrder, baseUrl: string): ResourceRequest;
  /** The provider's name for the job; absent where the answer holds none. */
  readCreated(body: JsonObject): string | undefined;
  poll(upstreamId: string, baseUrl: string): ResourceRequest;
  /** How much it may answer to that, where videos come inside. */
  mostPollBytes?: number;
  /** Absent where the answer cannot be read. */
  readProgress(body: JsonObject, upstreamId: string): VideoProgress | undefined;
  /** Absent where a job cannot be stopped. */
  cancel?(upstreamId: string, baseUrl: string): ResourceRequest;
  /** Absent where what is kept cannot be deleted. */
  remove?(upstreamId: string): ResourceRequest;
}
