import type { GenerationEvent } from '#canonical';

/** No real answer has as many blocks; each costs more memory than the few bytes that open it. */
const MOST_BLOCKS = 10_000;
/** More than a model's longest answer. Formats with arguments as objects parse them as a whole. */
const MOST_ARGUMENT_CHARACTERS = 4 * 1024 * 1024;

/** Counts the parts of an answer that cost time or memory per piece. */
export class AnswerSize {
  #blocks = 0;
  #argumentCharacters = 0;
  /** The block whose arguments are being read. */
  #call = -1;

  get isWithin(): boolean {
    return this.#blocks <= MOST_BLOCKS && this.#argumentCharacters <= MOST_ARGUMENT_CHARACTERS;
  }

  add(event: GenerationEvent): void {
    if (event.type === 'block-start') {
      const { block, index } = event;
      this.#blocks += 1;
      if (block.type !== 'tool-call') return;
      this.#call = index;
      if ('json' in block.input) this.#argumentCharacters += block.input.json.length;
    } else if (event.type === 'block-delta' && event.index === this.#call) {
      this.#argumentCharacters += event.text.length;
    }
  }
}
