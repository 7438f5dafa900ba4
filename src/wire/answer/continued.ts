import type { JsonObject } from '#base';
import type { Finish } from '#canonical';
import type { ReplyContext } from '../contract.ts';

/** Chat's `metadata`, for the last event of a stream that another provider continued. */
export function describeContinued(
  { isContinued }: Finish,
  context: Pick<ReplyContext, 'describe'>,
): { metadata?: JsonObject } {
  const metadata = isContinued && context.describe?.().metadata;
  return metadata ? { metadata } : {};
}
