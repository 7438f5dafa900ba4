import type { JsonObject } from '#base';
import type { Mapping } from '#catalogue';
import type { MediaExchange, MediaResult, Quantity, WholeAnswer } from '../contract.ts';
import type { UpstreamFailure } from '#errors';
import type { TranscriptionRequest } from './request.ts';
import { isJsonObject, parseJsonObject } from '#base';
import { isBelievable, toCount } from '#canonical';
import { findFailure } from '#wire';
import {
  createGarbled,
  decodeFailure,
  forwardBody,
  readingEvents,
  toJsonResult,
} from '../openai-exchange.ts';
import { createQuantity } from '../quantity.ts';
import { countAudio } from './bound.ts';
import { writeForm } from '../write-form.ts';

const TEXTS: ReadonlySet<string> = new Set(['text', 'srt', 'vtt']);

export function openOpenaiExchange({ fields, file }: TranscriptionRequest, mapping: Mapping): MediaExchange {
  const { contentType, body } = writeForm(forwardBody(fields, mapping), new Map([['file', [file]]]));
  const isText = TEXTS.has(fields.response_format ?? 'json');
  const decode = (answer: WholeAnswer): MediaResult | UpstreamFailure =>
    isText ? decodeText(answer, mapping) : decodeJson(answer, mapping);
  return {
    path: '/audio/transcriptions',
    headers: { 'content-type': contentType },
    body,
    decodeFailure,
    answer: fields.stream
      ? { type: 'events', read: createEventReader(mapping), decode }
      : { type: 'whole', decode },
  };
}

function decodeJson(answer: WholeAnswer, mapping: Mapping): MediaResult | UpstreamFailure {
  const body = parseJsonObject(answer.bytes.toString('utf8'));
  if (!body) return createGarbled(answer);
  const failure = findFailure(body);
  if (failure) return failure;
  return typeof body['text'] === 'string'
    ? toJsonResult(body, readUse(body, mapping))
    : createGarbled(answer);
}

/** Plain text and subtitles, which carry no usage. */
function decodeText(answer: WholeAnswer, mapping: Mapping): MediaResult | UpstreamFailure {
  const { contentType, bytes } = answer;
  if (/^text\/html\b/i.test(contentType)) return createGarbled(answer);
  if (/^application\/json\b/i.test(contentType)) return decodeJson(answer, mapping);
  return { contentType: contentType === '' ? 'text/plain; charset=utf-8' : contentType, body: bytes };
}

function createEventReader(mapping: Mapping): ReturnType<typeof readingEvents> {
  return readingEvents((body) => {
    if (body['type'] !== 'transcript.text.done') return {};
    const reported = readUse(body, mapping);
    return { isLast: true, ...(reported && { reported }) };
  });
}

/** Tokens or seconds, as the provider bills them. */
function readUse({ usage, duration }: JsonObject, mapping: Mapping): Quantity | undefined {
  const reported = isJsonObject(usage) && isBelievable(usage) ? usage : {};
  const seconds = reported['seconds'] ?? reported['prompt_audio_seconds'] ?? duration;
  const units = isSeconds(seconds) ? [countAudio(Math.ceil(seconds * 1_000), mapping)] : [];
  const input = toCount(reported['input_tokens'] ?? reported['prompt_tokens']);
  const outputText = toCount(reported['output_tokens'] ?? reported['completion_tokens']);
  if (units.length === 0 && input + outputText === 0) return undefined;
  const details = reported['input_token_details'];
  const audio = isJsonObject(details) ? toCount(details['audio_tokens']) : input;
  const inputAudio = Math.min(input, audio);
  return createQuantity({ inputUncached: input - inputAudio, inputAudio, outputText }, units);
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 && value < 1_000_000;
}
