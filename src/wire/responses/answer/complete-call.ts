import { decodeArguments } from '../../tools/call-arguments.ts';
import type { AnswerItem, ReadEvent } from './answer-schema.ts';

/** Completes a finished call; one that was cut short keeps what arrived. */
export function completeCall(item: AnswerItem, received = ''): AnswerItem {
  return item.type === 'function_call' && item.status !== 'incomplete'
    ? completeArguments(item, received)
    : item;
}

/** Clients parse these arguments; some upstreams leave them empty, send them only in deltas, or as an object. */
export function completeArguments<Holder extends AnswerItem | ReadEvent>(
  holder: Holder,
  received = '',
): Holder {
  const whole = decodeArguments(holder.arguments || received);
  return whole === holder.arguments ? holder : { ...holder, arguments: whole };
}
