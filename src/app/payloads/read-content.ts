import type { JsonObject } from '#base';
import type { Block, CanonicalRequest, ClientFormatId, GenerationResult, MediaBlock, Turn } from '#canonical';
import type { ReadContent } from '#telemetry';
import { parseJsonObject } from '#base';
import { findFormat, inputJsonOf } from '#canonical';
import { GatewayError } from '#errors';
import { createGeminiInbound, getInboundFormat } from '#wire';
import { decodeAnswer } from './decode-answer.ts';

/** Characters of one text, and of all messages of one side. */
const MOST_OF_TEXT = 4_096;
const MOST_OF_MESSAGES = 32_768;

type Parts = JsonObject[];

/** Reads prompts and answers as messages of the GenAI conventions. Binary content is named, not included. */
export const readContent: ReadContent = ({ endpoint, requestedModel, stream }, bodies) => {
  const format = findFormat(endpoint);
  if (!format) return undefined;
  const cutter = new Cutter();
  const request = bodies.request && decodeBody(format, bodies.request, { model: requestedModel, stream });
  const text = bodies.answer?.toString('utf8');
  const answer =
    text === undefined ? undefined : decodeAnswer(format, { text, contentType: bodies.contentType });
  return {
    ...(request &&
      request.system.length > 0 && { systemInstructions: cutter.print(cutter.toParts(request.system)) }),
    ...(request && { inputMessages: cutter.print(request.turns.map((turn) => cutter.toMessage(turn))) }),
    ...(answer && { outputMessages: cutter.print([cutter.toOutput(answer)]) }),
    isCut: cutter.hasCut,
  };
};

function decodeBody(
  format: ClientFormatId,
  bytes: Buffer,
  facts: { model: string; stream: boolean },
): CanonicalRequest | undefined {
  const body = parseJsonObject(bytes.toString('utf8'));
  if (!body) return undefined;
  const inbound = format === 'gemini' ? createGeminiInbound(facts) : getInboundFormat(format);
  try {
    return inbound.decodeRequest(body, {});
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

const FINISHES: Partial<Record<GenerationResult['finish']['reason'], string>> = {
  length: 'length',
  'context-window': 'length',
  'tool-calls': 'tool_call',
  'content-filter': 'content_filter',
};

/** Shortens what it writes, and remembers whether it did. */
class Cutter {
  hasCut = false;

  toMessage({ role, blocks }: Turn): JsonObject {
    const isTool = blocks.length > 0 && blocks.every(({ type }) => type === 'tool-result');
    return { role: isTool ? 'tool' : role, parts: this.toParts(blocks) };
  }

  toOutput({ blocks, finish }: GenerationResult): JsonObject {
    return {
      role: 'assistant',
      parts: this.toParts(blocks),
      finish_reason: FINISHES[finish.reason] ?? 'stop',
    };
  }

  toParts(blocks: readonly Block[]): Parts {
    return blocks.map((block) => this.#toPart(block));
  }

  /** The last ones, as many as fit. */
  print(messages: Parts): string {
    const texts: string[] = [];
    let characters = 0;
    for (const text of messages.map((message) => JSON.stringify(message)).toReversed()) {
      characters += text.length;
      if (characters > MOST_OF_MESSAGES) {
        this.hasCut = true;
        break;
      }
      texts.unshift(text);
    }
    return `[${texts.join(',')}]`;
  }

  #toPart(block: Block): JsonObject {
    switch (block.type) {
      case 'text':
        return { type: 'text', content: this.#cut(block.text) };
      case 'reasoning':
        return { type: 'reasoning', content: this.#cut(block.text) };
      case 'tool-call':
        return {
          type: 'tool_call',
          id: block.id,
          name: block.name,
          arguments: this.#cut(inputJsonOf(block)),
        };
      case 'tool-result':
        return { type: 'tool_call_response', id: block.callId, response: this.toParts(block.blocks) };
      case 'media':
        return toMediaPart(block);
      case 'native':
        return { type: block.value['type'] ?? 'native' };
    }
  }

  #cut(text: string): string {
    if (text.length <= MOST_OF_TEXT) return text;
    this.hasCut = true;
    return `${text.slice(0, MOST_OF_TEXT)}…`;
  }
}

function toMediaPart({ kind, mediaType, source }: MediaBlock): JsonObject {
  const facts = { modality: kind, ...(mediaType !== undefined && { mime_type: mediaType }) };
  if ('url' in source) return { type: 'uri', ...facts, uri: source.url };
  if ('fileId' in source) return { type: 'file', ...facts, file_id: source.fileId };
  return { type: 'blob', ...facts };
}
