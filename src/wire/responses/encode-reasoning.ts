import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { CanonicalRequest, ReasoningBlock, ReasoningOptions, Target } from '#canonical';
import { effortOf, nearestEffort } from '../effort.ts';

const ENCRYPTED = 'reasoning.encrypted_content';
const SHOWN_MODES: ReadonlySet<unknown> = new Set(['adaptive', 'budget', 'between-tools']);

/**
 * Encodes reasoning of an earlier turn as an item: encrypted reasoning with its summary for the upstream that issued
 * it, plain text only for upstreams that use it.
 */
export function encodeReasoningItem(block: ReasoningBlock, target: Target): JsonObject | undefined {
  const { dialect } = target;
  const secret = block.redacted ?? block.signature ?? '';
  if (!target.reasoning) return undefined;
  if (secret !== '') {
    if (block.issuer !== dialect.issuer) return undefined;
    const id = block.extra?.responses?.['id'];
    const summary = block.text === '' ? [] : [{ type: 'summary_text', text: block.text }];
    return {
      type: 'reasoning',
      ...(typeof id === 'string' && { id }),
      summary,
      encrypted_content: secret,
    };
  }
  const isOurs = block.issuer === undefined || block.issuer === dialect.issuer;
  if (dialect.reasoningReplay === 'none' || block.text === '' || !isOurs) return undefined;
  return { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: block.text }] };
}

/**
 * Encodes the options for reasoning and its summary; encrypted reasoning is always requested because nothing is stored
 * upstream.
 */
export function encodeReasoning(request: CanonicalRequest, target: Target): JsonObject {
  if (!target.reasoning) return encodeInclude(request, []);
  const reasoning = { ...toOwn(request), ...encodeEffort(request.reasoning, target) };
  return {
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...encodeInclude(request, [ENCRYPTED]),
  };
}

/** A Responses caller's own reasoning options; callers of other formats can only request visible thinking. */
function toOwn({ extra, reasoning }: CanonicalRequest): JsonObject {
  const own = extra?.responses?.['reasoning'];
  if (isJsonObject(own)) {
    const rest = { ...own };
    delete rest['effort'];
    return rest;
  }
  return reasoning && isShown(reasoning) ? { summary: 'auto' } : {};
}

function isShown({ mode, effort, display }: ReasoningOptions): boolean {
  if (mode === 'off' || effort === 'none') return false;
  return display === undefined ? SHOWN_MODES.has(mode) : display !== 'omitted';
}

function encodeEffort(requested: ReasoningOptions | undefined, { dialect }: Target): JsonObject {
  const effort = requested && effortOf(requested);
  if (effort === undefined || dialect.reasoningField === 'none' || dialect.efforts.length === 0) return {};
  return { effort: nearestEffort(effort, dialect.efforts) };
}

function encodeInclude({ extra }: CanonicalRequest, needed: string[]): JsonObject {
  const asked = extra?.responses?.['include'];
  const words = new Set<JsonValue>([...(Array.isArray(asked) ? asked : []), ...needed]);
  return words.size > 0 ? { include: [...words] } : {};
}
