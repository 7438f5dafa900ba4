import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { type Usage, toCount } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { Quantity } from './contract.ts';
import { decodeGeminiUsage, getOutboundFormat } from '#wire';
import { createQuantity } from './quantity.ts';

/** Errors of Google's shape. */
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

/** Why an answer holds no media: what Google says, as the caller's business where it refused. */
export function createEmptyFailure(body: JsonObject): UpstreamFailure {
  const feedback = isJsonObject(body['promptFeedback']) ? body['promptFeedback']['blockReason'] : undefined;
  const finish = listOf(body['candidates'])[0]?.['finishReason'];
  const reason = textOf(feedback ?? finish, 'no reason given');
  const detail = JSON.stringify(body).slice(0, 2_048);
  if (feedback === undefined && !REFUSALS.test(reason))
    return { kind: 'garbled', message: `the provider answered nothing (${reason})`, detail };
  return {
    kind: 'content-refused',
    status: 400,
    message: `the provider refused the content (${reason})`,
    detail,
  };
}

/** What Google counted, with images that were read apart from text, as those that were drawn are. */
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
