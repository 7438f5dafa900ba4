import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { type Usage, toCount } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { Quantity } from './contract.ts';
import { decodeGeminiUsage, getOutboundFormat } from '#wire';
import { createQuantity } from './quantity.ts';

/** Decodes errors in Google's format. */
export const { decodeFailure: decodeGeminiFailure } = getOutboundFormat('gemini');

/** Bytes inside an answer of `generateContent`. */
interface InlineData {
  mimeType: string;
  data: string;
}

/** All media of an answer, in order. */
export function listInlineData({ candidates }: JsonObject): InlineData[] {
  return listOf(candidates)
    .flatMap((candidate) => listOf(isJsonObject(candidate['content']) ? candidate['content']['parts'] : []))
    .flatMap(({ inlineData }) => {
      if (!isJsonObject(inlineData) || typeof inlineData['data'] !== 'string') return [];
      return [{ mimeType: textOf(inlineData['mimeType']), data: inlineData['data'] }];
    });
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(value: JsonValue | undefined, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

const REFUSALS = /SAFETY|PROHIBITED|BLOCK|RECITATION|SPII/;

/** The failure for an answer without media: Google's reason, shown to the caller if it is a refusal. */
export function createEmptyFailure(body: JsonObject): UpstreamFailure {
  const feedback = isJsonObject(body['promptFeedback']) ? body['promptFeedback']['blockReason'] : undefined;
  const finish = listOf(body['candidates'])[0]?.['finishReason'];
  const reason = textOf(feedback ?? finish, 'no reason given');
  const detail = JSON.stringify(body).slice(0, 2_048);
  if (feedback === undefined && !REFUSALS.test(reason))
    return { kind: 'garbled', message: `the provider returned an empty answer (${reason})`, detail };
  return {
    kind: 'content-refused',
    status: 400,
    message: `the provider refused the content (${reason})`,
    detail,
  };
}

/** Google's token counts, with images separated from text in input and output. */
export function readGoogleUsage({ usageMetadata }: JsonObject): Quantity | undefined {
  if (!isJsonObject(usageMetadata)) return undefined;
  const usage = decodeGeminiUsage(usageMetadata);
  if (!usage) return undefined;
  const inputImage = Math.min(usage.inputUncached, countImages(usageMetadata['promptTokensDetails']));
  const parts: Usage = {
    ...usage,
    inputUncached: usage.inputUncached - inputImage,
    inputImage,
  };
  return createQuantity(parts);
}

function countImages(details: JsonValue | undefined): number {
  return listOf(details)
    .filter(({ modality }) => modality === 'IMAGE')
    .reduce((sum, { tokenCount }) => sum + toCount(tokenCount), 0);
}
