import type { JsonObject } from '#base';
import type { VideoJob } from './jobs/video-job.ts';
import { type Static, Type } from 'typebox';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** A video as the OpenAI API writes it, with `content` once it is completed. */
export const videoSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('video'),
    model: Type.String(),
    status: Type.Enum(['queued', 'in_progress', 'completed', 'failed', 'canceled', 'expired']),
    progress: Type.Integer({ description: 'Percent.' }),
    prompt: nullable(Type.String()),
    seconds: Type.String(),
    size: Type.String(),
    created_at: Type.Integer({ description: 'Seconds since the Unix epoch.' }),
    completed_at: nullable(Type.Integer()),
    expires_at: nullable(
      Type.Integer({ description: 'When its content can no longer be had, where that is known.' }),
    ),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    remixed_from_video_id: Type.Null(),
    content: Type.Optional(
      Type.Array(
        Type.Object({
          type: Type.Literal('video'),
          url: Type.String({ description: 'Opens the video without a key until it expires.' }),
          expires_at: Type.Integer(),
        }),
      ),
    ),
  },
  { title: 'Video' },
);

/** The address of a completed video's content. */
interface ContentLink {
  url: string;
  /** Seconds since the Unix epoch. */
  expiresAt: number;
}

export function describeVideo(job: VideoJob, link: ContentLink | undefined): JsonObject {
  const video: Static<typeof videoSchema> = {
    id: job.id,
    object: 'video',
    model: job.requestedModel,
    status: job.status,
    progress: job.progress,
    prompt: job.prompt,
    seconds: String(job.seconds),
    size: job.size,
    created_at: toSeconds(job.createdAt),
    completed_at: job.status === 'completed' && job.endedAt !== undefined ? toSeconds(job.endedAt) : null,
    expires_at: job.contentExpiresAt === undefined ? null : toSeconds(job.contentExpiresAt),
    error: job.error ?? null,
    remixed_from_video_id: null,
    ...(link && { content: [{ type: 'video', url: link.url, expires_at: link.expiresAt }] }),
  };
  return video;
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}
