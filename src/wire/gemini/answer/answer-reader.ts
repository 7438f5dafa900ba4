import { findBlockReason } from './block-reason.ts';
import type { JsonObject } from '#base';
import {
  type Finish,
  type GenerationEnd,
  type GenerationEvent,
  type GenerationResult,
  type MediaBlock,
  ToolTally,
  type Usage,
  isBelievable,
  laterUsage,
} from '#canonical';
import type { UpstreamFailure } from '#errors';
import { UNSPECIFIED, decodeBlock, decodeFinish, findFinishFailure } from './finish.ts';
import { countLookups, listCitations } from './grounding.ts';
import { PartialCall } from './partial-call.ts';
import { decodeUsage, findUsageLeftovers } from './usage.ts';
import { findFailure } from './failure.ts';
import { type AnswerReader, collectAnswer } from '../../answer/answer-decoder.ts';
import { BlockQueue } from '../../answer/block-queue.ts';
import { createGarbled, describeValue } from '../../errors/openai-error.ts';
import { readServedTier } from '../../request/processing-tier.ts';
import { normalizeMediaType } from '../../media/media-type.ts';
import { textOf } from '../../body/read-answer.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type { GeminiAnswer, GeminiCandidate, GeminiExtra, StreamedCall } from './answer-schema.ts';
import type { GeminiFileData, GeminiInlineData, GeminiPart } from '../schema.ts';
import type { AnswerNames } from '../../tools/tool-names.ts';

type Answer = Members<GeminiAnswer>;
type Candidate = Members<GeminiCandidate>;
type Part = Members<GeminiPart>;

/** Facts of a request that are needed to read its answer. */
export interface AnswerContext {
  /** The provider's model name, used if the answer has none. */
  model: string;
  /** The issuer of the upstream's signatures. */
  issuer: string;
  names: AnswerNames;
}

const TOP_FIELDS = new Set<keyof GeminiAnswer | 'sdkHttpResponse' | '__proto__'>([
  'candidates',
  'usageMetadata',
  'modelVersion',
  'responseId',
  'sdkHttpResponse',
  '__proto__',
]);
const CANDIDATE_FIELDS = new Set<keyof GeminiCandidate | 'tokenCount' | '__proto__'>([
  'content',
  'finishReason',
  'index',
  'tokenCount',
  '__proto__',
]);

/** Converts the chunks of an answer, or a whole answer as one chunk, to events. */
export class GeminiAnswerReader implements AnswerReader {
  readonly #context: AnswerContext;
  readonly #queue = new BlockQueue();
  /** Text and thoughts grow while parts of their kind follow; all other parts are complete. */
  readonly #lane = this.#queue.addLane();
  readonly #top: Answer = {};
  readonly #candidate: Candidate = {};
  #leftovers: NonNullable<ReturnType<typeof findUsageLeftovers>> = {};
  #usage: Usage | undefined;
  #searches = 0;
  #maps = 0;
  #finish: string | undefined;
  #blocked: string | undefined;
  #hasStarted = false;
  #hasCited = false;
  #partial: PartialCall | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  get hasFinish(): boolean {
    return this.#finish !== undefined || this.#blocked !== undefined;
  }

  /** Reads a chunk; returns the failure that it or its finish reason reports. */
  read(chunk: Answer): UpstreamFailure | undefined {
    const error = findFailure(chunk);
    if (error) return error;
    keep(this.#top, chunk, TOP_FIELDS);
    this.#readUsage(chunk.usageMetadata);
    this.#readFeedback(chunk.promptFeedback);
    const candidate = itemsOf(chunk.candidates)
      .filter(isObject)
      .find(({ index }) => (index ?? 0) === 0);
    if (!candidate && !this.hasFinish) return undefined;
    if (!this.#hasStarted) this.#start(chunk);
    return candidate && this.#readCandidate(candidate);
  }

  /** A whole answer is read as the only chunk; without a candidate or a block reason it is none. */
  readWhole(answer: Answer): GenerationResult | UpstreamFailure {
    const failure = this.read(answer);
    if (failure) return failure;
    return this.#hasStarted ? collectAnswer(this) : createGarbled(describeValue(answer));
  }

  /** The events since the last call. */
  drain(): GenerationEvent[] {
    return this.#queue.drain();
  }

  /** Adds the remaining events of a complete answer. */
  finish(): void {
    if (!this.#hasStarted) this.#start({});
    this.#closePartial();
    this.#lane.finish();
    const extra: Members<GeminiExtra> = { ...this.#top };
    if (Object.keys(this.#candidate).length > 0) extra.candidate = this.#candidate;
    if (Object.keys(this.#leftovers).length > 0) extra.usageMetadata = this.#leftovers;
    const served = readServedTier(this.#leftovers.serviceTier);
    const usage = this.#usage && { ...this.#usage, webSearches: this.#searches };
    this.#queue.push({
      type: 'generation-end',
      finish: this.#decodeFinish(),
      ...(usage && { usage }),
      ...(served && { served }),
      ...this.#toolUses,
      ...(Object.keys(extra).length > 0 && { extra: { gemini: extra } }),
    });
  }

  /** Later chunks repeat or complete the metadata of earlier ones. */
  #countLookups(metadata: Candidate['groundingMetadata']): void {
    const { searches, maps } = countLookups(metadata);
    if (searches <= this.#searches && maps <= this.#maps) return;
    this.#searches = Math.max(this.#searches, searches);
    this.#maps = Math.max(this.#maps, maps);
    const { tools } = this.#toolUses;
    if (tools) this.#queue.push({ type: 'tools-used', tools });
  }

  get #toolUses(): Pick<GenerationEnd, 'tools'> {
    const tally = new ToolTally();
    tally.add('google_search', { count: this.#searches });
    tally.add('google_maps', { count: this.#maps });
    const { uses } = tally;
    return uses ? { tools: uses } : {};
  }

  #decodeFinish(): Finish {
    const isBlocked = this.#finish === undefined && this.#blocked !== undefined;
    if (isBlocked && this.#blocked !== undefined) return decodeBlock(this.#blocked);
    return decodeFinish(this.#finish, this.#queue.hasCalls);
  }

  #start({ responseId, modelVersion }: Answer): void {
    this.#hasStarted = true;
    const model =
      typeof modelVersion === 'string' && modelVersion !== '' ? modelVersion : this.#context.model;
    const id = typeof responseId === 'string' ? responseId : '';
    this.#queue.push({ type: 'generation-start', id, model });
  }

  /** Every chunk repeats the counts so far. */
  #readUsage(raw: Answer['usageMetadata']): void {
    if (!isObject(raw)) return;
    // Implausible counts also discard earlier ones.
    this.#usage = isBelievable(raw) ? laterUsage(this.#usage, decodeUsage(raw)) : undefined;
    this.#leftovers = { ...this.#leftovers, ...findUsageLeftovers(raw) };
  }

  #readFeedback(feedback: Answer['promptFeedback']): void {
    this.#blocked = findBlockReason(feedback) ?? this.#blocked;
  }

  #readCandidate(candidate: Candidate): UpstreamFailure | undefined {
    keep(this.#candidate, candidate, CANDIDATE_FIELDS);
    const { content, finishReason, groundingMetadata } = candidate;
    if (groundingMetadata) this.#countLookups(groundingMetadata);
    this.#cite(groundingMetadata);
    for (const part of isObject(content) ? itemsOf(content.parts) : []) {
      if (!isObject(part)) continue;
      this.#readPart(part);
      this.#cite(groundingMetadata);
    }
    if (typeof finishReason !== 'string' || finishReason === '' || finishReason === UNSPECIFIED)
      return undefined;
    this.#finish = finishReason;
    return findFinishFailure(finishReason, candidate.finishMessage);
  }

  /** Citations belong to a text; each answer sends them once. */
  #cite(metadata: Candidate['groundingMetadata']): void {
    if (this.#hasCited || this.#lane.openType !== 'text') return;
    const citations = listCitations(metadata);
    for (const citation of citations) this.#lane.addAnnotation(citation);
    this.#hasCited = citations.length > 0;
  }

  #readPart(part: Part): void {
    const { text, functionCall: call, inlineData, fileData, thoughtSignature } = part;
    const signature = typeof thoughtSignature === 'string' ? thoughtSignature : '';
    if (isObject(call)) {
      this.#readCall(call, signature);
      return;
    }
    if (this.#partial && !isEmpty(part)) this.#closePartial();
    if (typeof text === 'string') {
      this.#readText({ text, signature, isThought: part.thought === true });
      return;
    }
    // An image inside a thought is a draft, not part of the answer.
    const media = part.thought === true ? undefined : readMedia(inlineData, fileData);
    if (media)
      this.#lane.put({ ...media, ...(signature !== '' && { extra: { gemini: { thoughtSignature } } }) });
    else if (!isEmpty(part)) this.#lane.put({ type: 'native', format: 'gemini', value: part });
  }

  #readText(part: { text: string; signature: string; isThought: boolean }): void {
    const { text, signature, isThought } = part;
    if (isThought && signature !== '') {
      this.#addSigned(text, signature);
      return;
    }
    if (text !== '') {
      const type = isThought ? 'reasoning' : 'text';
      if (this.#lane.openType !== type) this.#lane.open({ type, text: '' });
      this.#lane.addText(text);
    }
    if (signature !== '') this.#addSigned('', signature);
  }

  /** A thought with its signature, or a signature alone, which signs the next call or the answer. */
  #addSigned(text: string, signature: string): void {
    this.#lane.open({ type: 'reasoning', text: '', issuer: this.#context.issuer });
    this.#lane.addText(text);
    this.#lane.close(signature);
  }

  #readCall(call: Members<StreamedCall>, signature: string): void {
    const { name, id, args, partialArgs, willContinue } = call;
    if (typeof name === 'string' && name !== '') {
      this.#closePartial();
      if (signature !== '') this.#addSigned('', signature);
      const restored = this.#context.names.restore(name);
      this.#lane.open({ type: 'tool-call', id: textOf(id), name: restored, input: { json: '' } });
      this.#partial = new PartialCall();
    }
    if (!this.#partial) return;
    this.#partial.merge(args);
    this.#partial.add(partialArgs);
    if (willContinue !== true) this.#closePartial();
  }

  #closePartial(): void {
    if (!this.#partial) return;
    this.#lane.addText(this.#partial.json);
    this.#lane.close();
    this.#partial = undefined;
  }
}

function keep(kept: JsonObject, from: JsonObject, known: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(from)) {
    if (!known.has(name) && value !== null) kept[name] = value;
  }
}

/** A part without content: no member, or an empty text. */
function isEmpty(part: Part): boolean {
  return Object.entries(part).every(([name, value]) => name === 'text' && value === '');
}

function readMedia(inline: Part['inlineData'], file: Part['fileData']): MediaBlock | undefined {
  const { mimeType, data, fileUri }: Members<GeminiInlineData | GeminiFileData> = isObject(inline)
    ? inline
    : isObject(file)
      ? file
      : {};
  const mediaType = typeof mimeType === 'string' ? normalizeMediaType(mimeType) : undefined;
  const kind = mediaType?.startsWith('image/')
    ? 'image'
    : mediaType?.startsWith('audio/')
      ? 'audio'
      : 'document';
  const common = { type: 'media' as const, kind, ...(mediaType !== undefined && { mediaType }) } as const;
  if (typeof data === 'string') return { ...common, source: { base64: data } };
  return typeof fileUri === 'string' ? { ...common, source: { url: fileUri } } : undefined;
}
