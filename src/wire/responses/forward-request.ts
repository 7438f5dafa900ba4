import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Target } from '#canonical';
import { fitsRule } from '../tool-ids.ts';
import { fitsName } from '../tool-names.ts';
import { decodeEncrypted } from './issued-reasoning.ts';
import { isMisnamedUrl } from '../media-type.ts';

type Dialect = Target['dialect'];

/**
 * Whether a Responses caller's `instructions`, `input` and `tools` can be forwarded unchanged. Checks shapes only,
 * never text, because agents resend the whole conversation each turn.
 */
export function canForward(body: JsonObject, dialect: Dialect): boolean {
  return (
    !dialect.refusedFields.includes('instructions') &&
    listOf(body['tools']).every((tool) => canForwardTool(tool, dialect)) &&
    canForwardItems(listOf(body['input']), dialect)
  );
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function canForwardTool(tool: JsonObject, dialect: Dialect): boolean {
  const { type, name, strict } = tool;
  if (type === 'custom' && !dialect.customTools) return false;
  if (strict === true && !dialect.strictTools) return false;
  return (type !== 'custom' && type !== 'function') || fits(name, dialect);
}

function fits(name: JsonValue | undefined, { maxToolName }: Dialect): boolean {
  return typeof name === 'string' && fitsName(name, maxToolName);
}

function canForwardItems(items: JsonObject[], dialect: Dialect): boolean {
  let isOpening = true;
  for (const item of items) {
    const isSystem = item['role'] === 'system' || item['role'] === 'developer';
    if (!isSystem) isOpening = false;
    else if (!isOpening && dialect.midSystem === 'as-user') return false;
    if (item['role'] === 'developer' && dialect.systemRole === 'system') return false;
    if (!canForwardItem(item, dialect)) return false;
  }
  return true;
}

function canForwardItem(item: JsonObject, dialect: Dialect): boolean {
  const { type, call_id: callId, content, output } = item;
  switch (type) {
    case 'custom_tool_call':
      return dialect.customTools && fitsId(callId, dialect) && fits(item['name'], dialect);
    case 'function_call':
      return fitsId(callId, dialect) && fits(item['name'], dialect) && item['arguments'] !== '';
    case 'custom_tool_call_output':
      return dialect.customTools && fitsId(callId, dialect) && canForwardParts(output, dialect);
    case 'function_call_output':
      return fitsId(callId, dialect) && canForwardParts(output, dialect);
    default:
      return canForwardParts(content, dialect);
  }
}

function fitsId(id: JsonValue | undefined, dialect: Dialect): boolean {
  return typeof id === 'string' && fitsRule(id, dialect.toolCallId);
}

function canForwardParts(content: JsonValue | undefined, { cacheMarks, media }: Dialect): boolean {
  return listOf(content).every(({ type, image_url: url, ...part }) => {
    if (part['cache_control'] !== undefined) return false;
    if (part['prompt_cache_breakpoint'] !== undefined && cacheMarks !== 'prompt_cache_breakpoint')
      return false;
    if (type === 'input_file') return media.document;
    if (type !== 'input_image') return true;
    if (isMisnamedUrl(url)) return false;
    return media.image && (media.imageUrl || (typeof url === 'string' && url.startsWith('data:')));
  });
}

/**
 * Forwards items unchanged, except reasoning that this upstream did not encrypt: it stored nothing that an id could
 * refer to.
 */
export function forwardInput(input: JsonValue | undefined, target: Target): JsonValue | undefined {
  if (!Array.isArray(input)) return input;
  return input.flatMap((item) => {
    if (!isJsonObject(item) || item['type'] !== 'reasoning') return [item];
    return forwardReasoning(item, target);
  });
}

function forwardReasoning(item: JsonObject, { dialect, reasoning }: Target): JsonObject[] {
  const { encrypted_content: encrypted } = item;
  if (!reasoning) return [];
  if (typeof encrypted !== 'string' || encrypted === '')
    return dialect.reasoningReplay === 'none' ? [] : [item];
  const { issuer, signature, redacted } = decodeEncrypted(encrypted);
  if (issuer !== dialect.issuer) return [];
  const secret = redacted ?? signature;
  return [secret === encrypted ? item : { ...item, encrypted_content: secret }];
}
