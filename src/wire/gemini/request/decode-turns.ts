import type { JsonObject } from '#base';
import type { Block, ToolResultBlock, Turn } from '#canonical';
import { isObject, requireArray, requireObject, requireString } from '../../body/read-field.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import { decodeMedia } from './decode-media.ts';
import { findMember } from '../members.ts';
import { ModelTurn } from './model-turn.ts';
import { PendingCalls } from './pending-calls.ts';
import type { GeminiBody, GeminiContent, GeminiFunctionResponse, GeminiPart } from '../schema.ts';

/** Reads `contents`; consecutive model contents (SDKs keep one per chunk) become one turn. */
export function decodeTurns(contents: GeminiBody['contents']): Turn[] {
  const reader = new ContentReader();
  for (const content of contents) reader.read(content);
  return reader.turns;
}

class ContentReader {
  readonly turns: Turn[] = [];
  readonly #pending = new PendingCalls();
  #model: ModelTurn | undefined;

  read({ role, parts }: Partial<GeminiContent>): void {
    if (role === 'model') this.#readModel(parts ?? []);
    else this.#readUser(parts ?? []);
  }

  #readModel(parts: readonly GeminiPart[]): void {
    if (!this.#model) {
      this.#pending.begin();
      this.#model = new ModelTurn(this.#pending);
      this.turns.push({ role: 'assistant', blocks: this.#model.blocks });
    }
    for (const part of parts) this.#model.add(part);
  }

  #readUser(parts: readonly GeminiPart[]): void {
    this.#model = undefined;
    this.turns.push({ role: 'user', blocks: parts.flatMap((part) => this.#decodeUserPart(part)) });
  }

  #decodeUserPart(part: GeminiPart): Block[] {
    const { text } = part;
    const media = decodeMedia(part);
    if (text !== undefined) return [{ type: 'text', text }, ...(media ? [media] : [])];
    const response = findMember(part, 'functionResponse');
    if (response) return [this.#decodeResult(response)];
    return [media ?? { type: 'native', format: 'gemini', value: part }];
  }

  #decodeResult({ name, id, parts, response }: GeminiFunctionResponse): ToolResultBlock {
    const { text, isError } = readResponse(response ?? {});
    const blocks: Block[] = text === '' ? [] : [{ type: 'text', text }];
    for (const part of parts ?? []) {
      const found = decodeMedia(part);
      if (found) blocks.push(found);
    }
    return { type: 'tool-result', callId: this.#pending.take(id ? id : undefined, name), blocks, isError };
  }
}

/** Google defines `output` and `error` for a result; any other object is sent as JSON. */
function readResponse(response: JsonObject): { text: string; isError: boolean } {
  const [[name, value] = [], ...others] = Object.entries(response);
  const isNamed = others.length === 0 && (name === 'output' || name === 'result' || name === 'error');
  if (name === undefined) return { text: '', isError: false };
  const isError = isNamed && name === 'error';
  if (!isNamed) return { text: JSON.stringify(response), isError };
  return { text: typeof value === 'string' ? value : JSON.stringify(value ?? null), isError };
}

/** Clients send instructions as a content, as one or more parts, or as text. */
interface Instruction {
  text: string;
  parts: GeminiPart[] | GeminiPart;
}

/** Reads instructions: a content, its parts alone, or text. */
export function decodeInstruction(value: Unchecked<Instruction | Instruction[]>, path: string): Block[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  const content: Members<Instruction> = isObject(value) ? value : { parts: value };
  const { parts } = content;
  if (parts === undefined && typeof content.text === 'string') return [{ type: 'text', text: content.text }];
  const list = isObject(parts) ? [parts] : requireArray(parts, `${path}.parts`);
  return list.map((part, at): Block => {
    const { text } = requireObject(part, `${path}.parts[${at}]`);
    return { type: 'text', text: requireString(text, `${path}.parts[${at}].text`) };
  });
}
