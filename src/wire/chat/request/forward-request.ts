import type { Dialect } from '#canonical';
import type { EncodeContext } from '../../request/encode-context.ts';
import { encodeOptions } from './encode-options.ts';
import { encodeOutput } from './encode-output.ts';
import { decodeReasoningDetail } from '../reasoning-details.ts';
import type {
  ChatBody,
  ChatCustom,
  ChatCustomCalled,
  ChatFunction,
  ChatFunctionCalled,
  ChatMessage,
  ChatTool,
  ChatToolCall,
} from '../schema.ts';
import type { ChatPart } from '../part-schema.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import { fitsImage, fitsRoles, hasForeignMark } from '../../request/forwarding.ts';
import { isObject, isPresent, itemsOf } from '../../body/read-field.ts';
import { GOOGLE } from '../thought-signature.ts';
import { fitsRule } from '../../tools/tool-ids.ts';
import { fitsName } from '../../tools/tool-names.ts';

/** Forwards a Chat caller's `messages` and `tools` if the upstream accepts all of them. */
export function forwardRequest(context: EncodeContext): Members<ChatBody> | undefined {
  const { request, dialect } = context;
  const body: Members<ChatBody> = request.origin.body;
  const { fields, instruction } = encodeOutput(request, dialect);
  const isWhole = instruction === undefined && request.answerStart === undefined;
  if (!isWhole || !canForward(body, dialect)) return undefined;
  return encodeOptions(context, { messages: body.messages, tools: body.tools, ...fields });
}

function canForward(body: Members<ChatBody>, dialect: Dialect): boolean {
  if (isPresent(body.functions)) return false;
  return (
    canForwardMessages(itemsOf(body.messages), dialect) &&
    itemsOf(body.tools).every((tool) => canForwardTool(tool, dialect))
  );
}

function canForwardMessages(messages: readonly Unchecked<ChatMessage>[], dialect: Dialect): boolean {
  if (!messages.every(isObject) || !fitsRoles(messages, dialect)) return false;
  if (!dialect.prefill && messages.at(-1)?.role === 'assistant') return false;
  return messages.every((message) => canForwardMessage(message, dialect));
}

function canForwardMessage(message: Members<ChatMessage>, dialect: Dialect): boolean {
  const { role, content } = message;
  if (role === 'function' || hasForeignMark(message, dialect.cacheMarks)) return false;
  const isTool = role === 'tool';
  if (isTool && !fitsRule(message.tool_call_id, dialect.toolCallId)) return false;
  if (isTool && typeof content !== 'string' && !Array.isArray(content)) return false;
  for (const part of itemsOf(content)) {
    if (!isObject(part) || hasForeignMark(part, dialect.cacheMarks)) return false;
    if (isTool && part.type !== 'text') return false;
    if (part.type === 'image_url' && !canForwardImage(part.image_url, dialect)) return false;
  }
  return role !== 'assistant' || canForwardAssistant(message, dialect);
}

function canForwardImage(image: Members<ChatPart>['image_url'], { media }: Dialect): boolean {
  return fitsImage(isObject(image) ? image.url : undefined, media);
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
  if (!isObject(call) || hasForeignMark(call, dialect.cacheMarks)) return false;
  const given: Unchecked<ChatFunctionCalled | ChatCustomCalled> | undefined =
    call.type === 'custom' ? call.custom : call.function;
  if (call.type === 'custom' && !dialect.customTools) return false;
  if (call.extra_content !== undefined && dialect.issuer !== GOOGLE) return false;
  if (!isObject(given) || !fitsName(given.name, dialect.maxToolName)) return false;
  if (!fitsRule(call.id, dialect.toolCallId)) return false;
  return call.type === 'custom' || (typeof given.arguments === 'string' && given.arguments !== '');
}

function canForwardTool(tool: Unchecked<ChatTool>, dialect: Dialect): boolean {
  if (!isObject(tool) || hasForeignMark(tool, dialect.cacheMarks)) return false;
  const given: Unchecked<ChatFunction | ChatCustom> | undefined =
    tool.type === 'custom' ? tool.custom : tool.function;
  if (tool.type === 'custom' && !dialect.customTools) return false;
  if (!isObject(given) || (given.strict !== undefined && !dialect.strictTools)) return false;
  return fitsName(given.name, dialect.maxToolName);
}
