import type { CanonicalRequest, FormatId, Target } from '#canonical';
import { GatewayError } from '#errors';
import { isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import { isFieldSent } from './beta-filter.ts';
import type { MessagesBody } from '../schema.ts';

/** Whether the conversation before a body's messages is stored at Anthropic. */
export function continuesThread({ thread }: Members<MessagesBody>): boolean {
  return isObject(thread) && thread['type'] === 'continue';
}

/**
 * Refuses a thread where the provider does not have it: it would see only the newest messages. A thread may be created
 * anywhere, because its body holds the whole conversation.
 */
export function refuseThreads(
  request: CanonicalRequest,
  { dialect }: Target,
  format: FormatId,
): CanonicalRequest {
  const { origin } = request;
  if (origin.format !== 'messages' || !continuesThread(origin.body)) return request;
  if (format === 'messages' && isFieldSent(request, dialect, 'thread')) return request;
  throw new GatewayError(
    'thread_not_found',
    "thread: this model's provider has no threads; send the whole conversation, without `thread` or with its type `create`",
  );
}
