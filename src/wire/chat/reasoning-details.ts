import type { JsonValue } from '#base';
import type { ReasoningBlock } from '#canonical';
import type { ChatReasoningDetail } from './schema.ts';
import type { Members, Unchecked } from '../body/unchecked.ts';
import { isObject } from '../body/read-field.ts';

/** Marks plain reasoning in a list that also holds signed entries. */
const UNSIGNED = 'none';
/** Prefix of our own entries; the issuer follows. */
const OWN = 'sluice/';

/**
 * `reasoning_details` carries what plain `reasoning_content` cannot: signatures and encrypted reasoning. Entries whose
 * `format` starts with our prefix are our own; all others belong to the upstream that sent them.
 */
export function encodeReasoningDetail(block: ReasoningBlock, index: number): Members<ChatReasoningDetail> {
  const format = isIssued(block) ? `${OWN}${block.issuer ?? 'anthropic'}` : UNSIGNED;
  if (block.redacted !== undefined) {
    return { type: 'reasoning.encrypted', data: block.redacted, format, index };
  }
  const { text, signature } = block;
  const detail: Members<ChatReasoningDetail> = { type: 'reasoning.text', text };
  if (signature !== undefined) detail.signature = signature;
  detail.format = format;
  detail.index = index;
  return detail;
}

/** Whether reasoning is signed or encrypted by its issuer. */
export function isIssued(block: ReasoningBlock): boolean {
  return block.issuer !== undefined || block.redacted !== undefined || Boolean(block.signature);
}

/** Decodes one of our own entries; undefined for others. */
export function decodeReasoningDetail(
  value: Unchecked<ChatReasoningDetail> | undefined,
): ReasoningBlock | undefined {
  if (!isObject(value)) return undefined;
  const { data, text, signature, format } = value;
  if (format === UNSIGNED && typeof text === 'string') return { type: 'reasoning', text };
  const issuer = toIssuer(format);
  if (!issuer) return undefined;
  if (typeof data === 'string') return { type: 'reasoning', text: '', redacted: data, issuer };
  if (typeof text !== 'string') return undefined;
  return { type: 'reasoning', text, ...(typeof signature === 'string' && { signature }), issuer };
}

/** The readable text of a foreign entry: `reasoning.text` or `reasoning.summary`. */
export function textOfDetail(value: Unchecked<ChatReasoningDetail> | undefined): string {
  if (!isObject(value)) return '';
  const text = value.text ?? value.summary;
  return typeof text === 'string' ? text : '';
}

function toIssuer(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.startsWith(OWN) ? value.slice(OWN.length) : undefined;
}
