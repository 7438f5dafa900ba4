import type { CanonicalRequest, ReasoningBlock, ReasoningOptions, Target } from '#canonical';
import { effortOf, findNearestEffort } from '../../request/effort.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ResponsesItem } from '../item-schema.ts';
import type { ResponsesBody, ResponsesReasoning } from '../schema.ts';

type Item = Members<ResponsesItem>;
type Body = Members<ResponsesBody>;
type Reasoning = Members<ResponsesReasoning>;

const ENCRYPTED = 'reasoning.encrypted_content';
const SHOWN_MODES = new Set<ReasoningOptions['mode']>(['adaptive', 'budget', 'between-tools']);

/**
 * Encodes reasoning of an earlier turn as an item: encrypted reasoning with its summary for the upstream that issued
 * it, plain text only for upstreams that use it.
 */
export function encodeReasoningItem(block: ReasoningBlock, target: Target): Item | undefined {
  const { dialect } = target;
  const secret = block.redacted ?? block.signature ?? '';
  if (!target.reasoning) return undefined;
  if (secret !== '') {
    if (block.issuer !== dialect.issuer) return undefined;
    const own: Item = block.extra?.responses ?? {};
    const item: Item = { type: 'reasoning' };
    if (typeof own.id === 'string') item.id = own.id;
    item.summary = block.text === '' ? [] : [{ type: 'summary_text', text: block.text }];
    item.encrypted_content = secret;
    return item;
  }
  const isOurs = block.issuer === undefined || block.issuer === dialect.issuer;
  if (dialect.reasoningReplay === 'none' || block.text === '' || !isOurs) return undefined;
  return { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: block.text }] };
}

/**
 * Encodes the options for reasoning and its summary; encrypted reasoning is always requested because nothing is stored
 * upstream.
 */
export function encodeReasoning(body: Body, request: CanonicalRequest, target: Target): void {
  const own: Body = request.extra?.responses ?? {};
  const include = new Set(itemsOf(own.include));
  if (target.reasoning) {
    const reasoning = { ...toOwn(request, own), ...encodeEffort(request.reasoning, target) };
    if (Object.keys(reasoning).length > 0) body.reasoning = reasoning;
    include.add(ENCRYPTED);
  }
  if (include.size > 0) body.include = [...include];
}

/** A Responses caller's own reasoning options; callers of other formats can only request visible thinking. */
function toOwn({ reasoning }: CanonicalRequest, { reasoning: own }: Body): Reasoning {
  if (isObject(own)) {
    const { effort: _effort, max_tokens: _most, enabled: _isOn, ...rest } = own;
    return rest;
  }
  return reasoning && isShown(reasoning) ? { summary: 'auto' } : {};
}

function isShown({ mode, effort, display }: ReasoningOptions): boolean {
  if (mode === 'off' || effort === 'none') return false;
  return display === undefined ? SHOWN_MODES.has(mode) : display !== 'omitted';
}

function encodeEffort(requested: ReasoningOptions | undefined, { dialect }: Target): Reasoning {
  const effort = requested && effortOf(requested);
  if (effort === undefined || dialect.reasoningField === 'none') return {};
  const accepted = findNearestEffort(effort, dialect.efforts);
  return accepted ? { effort: accepted } : {};
}
