import type { Dialect } from '#canonical';
import { hasForeignMark } from './cache-marks.ts';
import { decodeReasoningDetail } from './reasoning-details.ts';
import type {
  ChatBody,
  ChatCustom,
  ChatCustomCalled,
  ChatFunction,
  ChatFunctionCalled,
  ChatMessage,
  ChatPart,
  ChatTool,
  ChatToolCall,
} from './schema.ts';
import type { Members, Unchecked } from '../unchecked.ts';
import { isObject, itemsOf } from '../read-field.ts';
import { GOOGLE } from './thought-signature.ts';
import { fitsRule } from '../tool-ids.ts';
import { fitsName } from '../tool-names.ts';
import { isMisnamedUrl } from '../media-type.ts';

/**
 * Whether a Chat caller's `messages` and `tools` can be forwarded unchanged. Checks shapes only, never text, because
 * agents resend the whole conversation each turn.
 */
export function canForward(body: Members<ChatBody>, dialect: Dialect): boolean {
  if (body.functions !== undefined && body.functions !== null) return false;
  return (
    canForwardMessages(itemsOf(body.messages), dialect) &&
    itemsOf(body.tools).every((tool) => canForwardTool(tool, dialect))
  );
}

function canForwardMessages(messages: readonly Unchecked<ChatMessage>[], dialect: Dialect): boolean {
  let isOpening = true;
  for (const message of messages) {
    if (!isObject(message)) return false;
    const { role } = message;
    const isSystem = role === 'system' || role === 'developer';
    if (!isSystem) isOpening = false;
    else if (!isOpening && dialect.midSystem === 'as-user') return false;
    if (role === 'function' || (role === 'developer' && dialect.systemRole === 'system')) return false;
    if (!canForwardMessage(message, dialect)) return false;
  }
  const last = messages.at(-1);
  return dialect.prefill || !isObject(last) || last.role !== 'assistant';
}

function canForwardMessage(message: Members<ChatMessage>, dialect: Dialect): boolean {
  if (hasForeignMark(message, dialect.cacheMarks)) return false;
  const isTool = message.role === 'tool';
  if (
    isTool &&
    !(typeof message.tool_call_id === 'string' && fitsRule(message.tool_call_id, dialect.toolCallId))
  )
    return false;
  if (isTool && typeof message.content !== 'string' && !Array.isArray(message.content)) return false;
  for (const part of itemsOf(message.content)) {
    if (!isObject(part) || hasForeignMark(part, dialect.cacheMarks)) return false;
    if (isTool && part.type !== 'text') return false;
    if (part.type === 'image_url' && !canForwardImage(part.image_url, dialect)) return false;
  }
  return message.role !== 'assistant' || canForwardAssistant(message, dialect);
}

function canForwardImage(image: Members<ChatPart>['image_url'], dialect: Dialect): boolean {
  const url = isObject(image) ? image.url : undefined;
  if (isMisnamedUrl(url)) return false;
  if (dialect.media.image && dialect.media.imageUrl) return true;
  return dialect.media.image && typeof url === 'string' && url.startsWith('data:');
}

function canForwardAssistant(message: Members<ChatMessage>, dialect: Dialect): boolean {
  const { reasoningReplay: field } = dialect;
  if (isObject(message.function_call)) return false;
  // Generated images are replayed as user images.
  if (itemsOf(message.images).length > 0) return false;
  if (message.reasoning_content !== undefined && field !== 'reasoning_content') return false;
  if (message.reasoning !== undefined && field !== 'reasoning') return false;
  const details = message.reasoning_details;
  if (details !== undefined && (field === 'none' || itemsOf(details).some(decodeReasoningDetail)))
    return false;
  const calls = itemsOf(message.tool_calls);
  if (calls.length > 0 && field === 'reasoning_content' && typeof message[field] !== 'string') return false;
  for (const call of calls) if (!canForwardCall(call, dialect)) return false;
  return true;
}

function canForwardCall(call: Unchecked<ChatToolCall>, dialect: Dialect): boolean {
  if (!isObject(call)) return false;
  const given: Unchecked<ChatFunctionCalled | ChatCustomCalled> | undefined =
    call.type === 'custom' ? call.custom : call.function;
  if (!isObject(given) || hasForeignMark(call, dialect.cacheMarks)) return false;
  if (call.type === 'custom' && !dialect.customTools) return false;
  if (call.extra_content !== undefined && dialect.issuer !== GOOGLE) return false;
  if (typeof call.id !== 'string' || !fitsRule(call.id, dialect.toolCallId)) return false;
  if (typeof given.name !== 'string' || !fitsName(given.name, dialect.maxToolName)) return false;
  return call.type === 'custom' || (typeof given.arguments === 'string' && given.arguments !== '');
}

function canForwardTool(tool: Unchecked<ChatTool>, dialect: Dialect): boolean {
  if (!isObject(tool) || hasForeignMark(tool, dialect.cacheMarks)) return false;
  const given: Unchecked<ChatFunction | ChatCustom> | undefined =
    tool.type === 'custom' ? tool.custom : tool.function;
  if (!isObject(given) || typeof given.name !== 'string') return false;
  if (tool.type === 'custom' && !dialect.customTools) return false;
  if (given.strict !== undefined && !dialect.strictTools) return false;
  return fitsName(given.name, dialect.maxToolName);
}
