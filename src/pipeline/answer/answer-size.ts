import type { Block, GenerationEvent } from '#canonical';
import { INNER_LIMITS, measureAtOnce } from '../request/json-limits.ts';

/** No real answer has as many blocks; each costs more memory than the few bytes that open it. */
const MOST_BLOCKS = 10_000;
/** More than a model's longest answer. Formats with arguments as objects parse them as a whole. */
const MOST_ARGUMENT_CHARACTERS = 4 * 1024 * 1024;
/** The limit for an answer that is not streamed. A stream of Responses created from it repeats its text five times. */
const MOST_TEXT_CHARACTERS = 8 * 1024 * 1024;

/** Counts the parts of an answer that cost time or memory per piece. */
export class AnswerSize {
  #blocks = 0;
  #textCharacters = 0;
  #argumentCharacters = 0;
  #argumentValues = 0;
  #hasTooManyNames = false;
  /** The arguments of the call that is being read. */
  #arguments: string | undefined;

  get isWithin(): boolean {
    return (
      this.#blocks <= MOST_BLOCKS &&
      this.#argumentCharacters <= MOST_ARGUMENT_CHARACTERS &&
      this.#argumentValues <= INNER_LIMITS.values &&
      !this.#hasTooManyNames
    );
  }

  /** For an answer that is passed on as a whole: the text of a stream is bounded by its meter. */
  get isTextWithin(): boolean {
    return this.#textCharacters <= MOST_TEXT_CHARACTERS;
  }

  add(event: GenerationEvent): void {
    if (event.type === 'block-delta') this.#addText(event.text);
    else if (event.type === 'block-start') this.#open(event.block);
    else if (event.type === 'block-end') this.#close();
  }

  #open(block: Block): void {
    this.#blocks += 1;
    if (block.type !== 'tool-call' || block.custom) return;
    this.#arguments = '';
    if ('json' in block.input) this.#addText(block.input.json);
  }

  #addText(text: string): void {
    if (this.#arguments === undefined) {
      this.#textCharacters += text.length;
      return;
    }
    this.#argumentCharacters += text.length;
    if (this.#argumentCharacters <= MOST_ARGUMENT_CHARACTERS) this.#arguments += text;
  }

  /** Arguments are parsed and printed with the cost of their values, not of their length. */
  #close(): void {
    if (this.#arguments === undefined) return;
    const { values, names } = measureAtOnce(Buffer.from(this.#arguments), INNER_LIMITS);
    this.#argumentValues += values;
    this.#hasTooManyNames ||= names > INNER_LIMITS.names;
    this.#arguments = undefined;
  }
}
