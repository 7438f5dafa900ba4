import type { JsonObject } from '#base';
import type { BlockLane } from '../../answer/block-queue.ts';
import type { AnswerNames } from '../../tools/tool-names.ts';
import { JsonProgress } from './json-progress.ts';

/** Reads a tool call whose id and name may arrive late. */
export class ChatCallReader {
  readonly #lane: BlockLane;
  readonly #isCustom: boolean;
  readonly #names: AnswerNames;
  readonly #progress = new JsonProgress();
  #pending: string[] = [];
  #hasArguments = false;
  id = '';
  name = '';
  /** Must be returned with the call: Gemini's thought signature. */
  extraContent: JsonObject | undefined;

  constructor(lane: BlockLane, isCustom: boolean, names: AnswerNames) {
    this.#lane = lane;
    this.#isCustom = isCustom;
    this.#names = names;
  }

  get isComplete(): boolean {
    return this.#progress.isComplete;
  }

  addArguments(text: string): void {
    // Some upstreams send the text `null` for empty arguments.
    if (text === '' || (text === 'null' && !this.#hasArguments && !this.#isCustom)) return;
    this.#hasArguments = true;
    if (!this.#isCustom) this.#progress.push(text);
    if (this.#lane.isOpen) this.#lane.addText(text);
    else this.#pending.push(text);
  }

  /**
   * Opens and finishes the first call of an answer when possible; returns whether it is finished. Waits for an id until
   * something follows. A call without a name is dropped.
   */
  advance(isFinal: boolean): boolean {
    const hasId = this.id !== '' || isFinal || !this.#lane.isLast;
    if (!this.#lane.isOpen && this.name !== '' && hasId) this.#open();
    if (!isFinal && !(this.#lane.isOpen && this.isComplete && !this.#lane.isLast)) return false;
    this.#lane.finish();
    return true;
  }

  #open(): void {
    this.#lane.open({
      type: 'tool-call',
      id: this.id,
      name: this.#names.restore(this.name),
      input: { json: '' },
      ...(this.#isCustom && { custom: true }),
      ...(this.extraContent && { extra: { chat: { extra_content: this.extraContent } } }),
    });
    for (const text of this.#pending.splice(0)) this.#lane.addText(text);
  }
}
