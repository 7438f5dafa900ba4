import type { GenerationEvent } from '#canonical';

/** No answer has as many blocks; what is kept for each costs more than the few bytes that begin it. */
const MOST_BLOCKS = 10_000;
/** More than a model's longest answer. Arguments are parsed as a whole for formats that have them as objects. */
const MOST_ARGUMENT_CHARACTERS = 4 * 1024 * 1024;

/** Counts what of an answer takes time and memory with each piece. */
export class AnswerSize {
  #blocks = 0;
  #argumentCharacters = 0;
  /** The block that arguments are read for. */
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
