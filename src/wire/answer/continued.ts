import type { JsonObject } from '#base';
import type { Finish } from '#canonical';
import type { ReplyContext } from '../contract.ts';

/** What the last event of a stream has beside the members of its format where several providers wrote it: Chat's `metadata`. */
export function describeContinued(
  { isContinued }: Finish,
  context: Pick<ReplyContext, 'describe'>,
): { metadata?: JsonObject } {
  const metadata = isContinued && context.describe?.().metadata;
  return metadata ? { metadata } : {};
}
