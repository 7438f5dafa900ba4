import { type JsonObject, parseExactObject } from '#base';
import { type Block, type MediaBlock, type ToolCallBlock, inputJsonOf } from '#canonical';
import { encodeSignature } from '../thought-signature.ts';
import type { Members } from '../../body/unchecked.ts';
import type { GeminiPart } from '../schema.ts';

type RawPart = Members<GeminiPart>;

/** Encodes an answer's blocks as parts, in order. A signature is held until the part it signs. */
export class PartWriter {
  readonly #showsThoughts: boolean;
  #waiting: string[] = [];
  /** A call whose arguments are not an object is dropped, and the finish reason reports it. */
  hasMalformedCall = false;

  constructor(showsThoughts: boolean) {
    this.#showsThoughts = showsThoughts;
  }

  get showsThoughts(): boolean {
    return this.#showsThoughts;
  }

  encode(block: Block): RawPart[] {
    switch (block.type) {
      case 'text':
        return block.text === '' ? [] : [...this.flush(), { text: block.text }];
      case 'reasoning': {
        const isShown = this.#showsThoughts && block.text !== '';
        const signature = encodeSignature(block, isShown);
        if (!isShown) {
          if (signature !== undefined) this.#waiting.push(signature);
          return [];
        }
        // A stream can send a signature only after the text, so whole answers do the same.
        const signed =
          signature === undefined ? [] : [{ text: '', thought: true, thoughtSignature: signature }];
        return [...this.flush(), { text: block.text, thought: true }, ...signed];
      }
      case 'tool-call':
        return this.#encodeCall(block);
      case 'media':
        return [...this.flush(), encodeMedia(block)];
      case 'native':
        return block.format === 'gemini' ? [...this.flush(), block.value] : [];
      default:
        return [];
    }
  }

  /** The remaining signatures, each on an empty text as Google sends it. */
  flush(): RawPart[] {
    const parts = this.#waiting.map((thoughtSignature): RawPart => ({ text: '', thoughtSignature }));
    this.#waiting = [];
    return parts;
  }

  #encodeCall(call: ToolCallBlock): RawPart[] {
    const args = readArguments(call);
    if (!args) {
      this.hasMalformedCall = true;
      return [];
    }
    const signature = this.#waiting.pop();
    const { id, name } = call;
    return [
      ...this.flush(),
      { functionCall: { id, name, args }, ...(signature !== undefined && { thoughtSignature: signature }) },
    ];
  }
}

/** Free text of a custom tool becomes an object with one string; nothing if the arguments are not an object. */
function readArguments(call: ToolCallBlock): JsonObject | undefined {
  if ('value' in call.input) return call.input.value;
  return call.custom ? { input: call.input.json } : parseExactObject(inputJsonOf(call));
}

function encodeMedia({ source, mediaType, kind, extra }: MediaBlock): RawPart {
  const mimeType =
    mediaType ?? (kind === 'image' ? 'image/png' : kind === 'audio' ? 'audio/wav' : 'application/pdf');
  const signed = extra?.gemini ?? {};
  if ('base64' in source) return { inlineData: { mimeType, data: source.base64 }, ...signed };
  if ('url' in source) return { fileData: { mimeType, fileUri: source.url }, ...signed };
  if ('fileId' in source) return { fileData: { mimeType, fileUri: source.fileId }, ...signed };
  return { text: 'text' in source ? source.text : '' };
}
