import type { JsonObject } from '#base';
import { isObject } from '../read-field.ts';
import type { Block, ToolResultBlock, Turn } from '#canonical';
import { readMember, refuse, requireArray, requireObject, requireString, requireText } from './checks.ts';
import { decodeMedia } from './decode-media.ts';
import { ModelTurn } from './model-turn.ts';
import { PendingCalls } from './pending-calls.ts';
import type { GeminiBody, GeminiContent, GeminiFunctionResponse, GeminiPart } from './schema.ts';
import type { Members, Unchecked } from '../unchecked.ts';

const MOST_CONTENTS = 100_000;

/** Reads `contents`; consecutive model contents (SDKs keep one per chunk) become one turn. */
export function decodeContents(value: Members<GeminiBody>['contents']): Turn[] {
  const contents = requireArray(value, 'contents');
  if (contents.length === 0) return refuse('contents', 'must not be empty');
  if (contents.length > MOST_CONTENTS) return refuse('contents', `at most ${MOST_CONTENTS} are accepted`);
  const reader = new ContentReader();
  contents.forEach((content, at) => {
    const path = `contents[${at}]`;
    reader.read(requireObject(content, path), path);
  });
  return reader.turns;
}

class ContentReader {
  readonly turns: Turn[] = [];
  readonly #pending = new PendingCalls();
  #model: ModelTurn | undefined;

  read(content: Members<GeminiContent>, path: string): void {
    const { role } = content;
    const parts = requireArray(content.parts ?? [], `${path}.parts`);
    switch (role) {
      case 'model':
        this.#readModel(parts, path);
        break;
      case 'user':
      case 'function':
      case undefined:
      case '':
      case null:
        this.#readUser(parts, path);
        break;
      default:
        refuse(`${path}.role`, 'must be user or model');
    }
  }

  #readModel(parts: readonly Unchecked<GeminiPart>[], path: string): void {
    if (!this.#model) {
      this.#pending.begin();
      this.#model = new ModelTurn(this.#pending);
      this.turns.push({ role: 'assistant', blocks: this.#model.blocks });
    }
    for (const [at, part] of parts.entries()) this.#model.add(...toPart(part, `${path}.parts[${at}]`));
  }

  #readUser(parts: readonly Unchecked<GeminiPart>[], path: string): void {
    this.#model = undefined;
    const blocks = parts.map((part, at) => this.#decodeUserPart(...toPart(part, `${path}.parts[${at}]`)));
    this.turns.push({ role: 'user', blocks });
  }

  #decodeUserPart(part: Members<GeminiPart>, path: string): Block {
    const { text } = part;
    if (text !== undefined) return { type: 'text', text: requireString(text, `${path}.text`) };
    const response = readMember(part, 'functionResponse', (value) =>
      requireObject(value, `${path}.functionResponse`),
    );
    if (response) return this.#decodeResult(response, `${path}.functionResponse`);
    return decodeMedia(part, path) ?? { type: 'native', format: 'gemini', value: part };
  }

  #decodeResult(response: Members<GeminiFunctionResponse>, path: string): ToolResultBlock {
    const name = requireText(response.name, `${path}.name`);
    const id = readMember(response, 'id', (value) => requireString(value, `${path}.id`));
    const media = readMember(response, 'parts', (value) => requireArray(value, `${path}.parts`)) ?? [];
    const given = readMember(response, 'response', (value) => requireObject(value, `${path}.response`)) ?? {};
    const { text, isError } = readResponse(given);
    const blocks: Block[] = text === '' ? [] : [{ type: 'text', text }];
    for (const [at, part] of media.entries()) {
      const found = decodeMedia(requireObject(part, `${path}.parts[${at}]`), `${path}.parts[${at}]`);
      if (found) blocks.push(found);
    }
    return {
      type: 'tool-result',
      callId: this.#pending.take(id === '' ? undefined : id, name),
      blocks,
      isError,
    };
  }
}

function toPart(value: Unchecked<GeminiPart>, path: string): [part: Members<GeminiPart>, path: string] {
  const part = requireObject(value, path);
  return Object.keys(part).length === 0 ? refuse(path, 'must not be an empty object') : [part, path];
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
