import { GatewayError } from '#errors';
import { isObject } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';
import type { OutboundFormat } from '../contract.ts';
import { isFieldSent } from './beta-fence.ts';
import type { MessagesBody } from './schema.ts';

/** Whether the conversation before a body's messages is stored at Anthropic. */
export function continuesThread({ thread }: Members<MessagesBody>): boolean {
  return isObject(thread) && thread['type'] === 'continue';
}

/**
 * Wraps a format so that no provider answers a thread that it does not have: it would see only the newest messages. A
 * thread may be created anywhere, because its body holds the whole conversation.
 */
export function refusingThreads(format: OutboundFormat): OutboundFormat {
  return {
    ...format,
    openExchange(request, target) {
      const { origin } = request;
      if (origin.format !== 'messages' || !continuesThread(origin.body))
        return format.openExchange(request, target);
      if (format.id === 'messages' && isFieldSent(request, target.dialect, 'thread'))
        return format.openExchange(request, target);
      throw new GatewayError(
        'thread_not_found',
        "thread: this model's provider has no threads; send the whole conversation, without `thread` or with its type `create`",
      );
    },
  };
}
