import type { JsonValue } from '#base';
import type { Dialect, Target } from '#canonical';
import { fitsImage, fitsRoles, forwardList, hasForeignMark } from '../../request/forwarding.ts';
import { isArray, isObject, itemsOf } from '../../body/read-field.ts';
import { fitsRule } from '../../tools/tool-ids.ts';
import { fitsName } from '../../tools/tool-names.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import { decodeEncrypted } from '../issued-reasoning.ts';
import type { ResponsesContent, ResponsesItem } from '../item-schema.ts';
import { type Body, encodeOptions, encodeToolUse } from './encode-options.ts';
import { encodeOutput } from './encode-output.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import type { ResponsesTool } from '../tool-schema.ts';

type Input = Body['input'];

/** Forwards a Responses caller's `instructions`, `input` and `tools` if the upstream accepts all of them. */
export function forwardRequest(context: EncodeContext): Body | undefined {
  const { request, target, dialect } = context;
  const body: Body = request.origin.body;
  const { fields, instruction } = encodeOutput(request, dialect);
  const isWhole = instruction === undefined && request.answerStart === undefined;
  if (!isWhole || !canForward(body, dialect)) return undefined;
  const { instructions, tools } = body;
  return encodeOptions(context, {
    ...(typeof instructions === 'string' && { instructions }),
    input: forwardInput(body.input, target),
    ...(isArray(tools) && tools.length > 0 && { tools }),
    ...(request.tools.length > 0 && encodeToolUse(context, body.tool_choice)),
    ...fields,
  });
}

function canForward(body: Body, dialect: Dialect): boolean {
  const items = itemsOf(body.input).filter(isObject);
  return (
    !dialect.refusedFields.includes('instructions') &&
    canForwardTools(body.tools, dialect) &&
    fitsRoles(items, dialect) &&
    items.every((item) => canForwardItem(item, dialect))
  );
}

function canForwardTools(tools: Body['tools'], dialect: Dialect): boolean {
  return itemsOf(tools)
    .filter(isObject)
    .every((tool) => canForwardTool(tool, dialect));
}

function canForwardTool({ type, name, strict, tools }: Members<ResponsesTool>, dialect: Dialect): boolean {
  if (type === 'namespace') return canForwardTools(tools, dialect);
  if (type === 'custom' && !dialect.customTools) return false;
  if (strict === true && !dialect.strictTools) return false;
  return (type !== 'custom' && type !== 'function') || fitsName(name, dialect.maxToolName);
}

function canForwardItem(item: Members<ResponsesItem>, dialect: Dialect): boolean {
  const { type, content, output, tools } = item;
  switch (type) {
    case 'custom_tool_call':
      return dialect.customTools && canForwardCall(item, dialect);
    case 'function_call':
      return canForwardCall(item, dialect) && item.arguments !== '';
    case 'custom_tool_call_output':
    case 'function_call_output':
      if (type === 'custom_tool_call_output' && !dialect.customTools) return false;
      return fitsRule(item.call_id, dialect.toolCallId) && canForwardParts(output, dialect);
    case 'additional_tools':
      // Only OpenAI knows this item, and only it has custom tools.
      return dialect.customTools && canForwardTools(tools, dialect);
    default:
      return canForwardParts(content, dialect);
  }
}

function canForwardCall({ call_id: id, name }: Members<ResponsesItem>, dialect: Dialect): boolean {
  return fitsRule(id, dialect.toolCallId) && fitsName(name, dialect.maxToolName);
}

function canForwardParts(
  content: Unchecked<ResponsesContent> | undefined,
  { cacheMarks, media }: Dialect,
): boolean {
  const parts = itemsOf(content).filter(isObject);
  return parts.every((part) => {
    if (hasForeignMark(part, cacheMarks)) return false;
    if (part.type === 'input_file') return media.document;
    return part.type !== 'input_image' || fitsImage(part.image_url, media);
  });
}

/**
 * Forwards items unchanged, except reasoning that this upstream did not encrypt: it stored nothing that an id could
 * refer to.
 */
function forwardInput(input: Input, target: Target): JsonValue | undefined {
  if (!isArray(input)) return input;
  return forwardList(input, (item) =>
    isObject(item) && item.type === 'reasoning' ? forwardReasoning(item, target) : item,
  );
}

function forwardReasoning(
  item: Members<ResponsesItem>,
  { dialect, reasoning }: Target,
): Members<ResponsesItem> | undefined {
  const { encrypted_content: encrypted } = item;
  if (!reasoning) return undefined;
  if (typeof encrypted !== 'string' || encrypted === '')
    return dialect.reasoningReplay === 'none' ? undefined : item;
  const { issuer, signature, redacted } = decodeEncrypted(encrypted);
  if (issuer !== dialect.issuer) return undefined;
  const secret = redacted ?? signature;
  return secret === encrypted ? item : { ...item, encrypted_content: secret };
}
