import { type JsonValue, isJsonObject } from '#base';
import { describeValue } from '../../errors/openai-error.ts';
import type { BlockLane } from '../../answer/block-queue.ts';
import { type AnswerContext, type OutputItemReader, StreamedText, keepTexts } from './item-reader.ts';
import type { AnswerItem, ReadEvent, ResponsesEventType } from './answer-schema.ts';
import { textOf } from '../../body/read-answer.ts';
import { flattenName } from '../namespaces.ts';
import { isWrapper, unwrapCalls } from './parallel-wrapper.ts';

/** A function call or custom tool call. */
export class ResponsesCallReader implements OutputItemReader {
  readonly #lane: BlockLane;
  readonly #context: AnswerContext;
  readonly #isCustom: boolean;
  readonly #streamed = new StreamedText();
  #item: AnswerItem = {};
  #pending: string[] = [];

  constructor(lane: BlockLane, isCustom: boolean, context: AnswerContext) {
    this.#lane = lane;
    this.#isCustom = isCustom;
    this.#context = context;
  }

  get received(): string {
    return this.#streamed.text;
  }

  begin(item: AnswerItem): void {
    this.#item = { ...this.#item, ...item };
    this.#openIfNamed();
  }

  read(type: ResponsesEventType, event: ReadEvent): void {
    switch (type) {
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#add(textOf(event.delta));
        break;
      case 'response.function_call_arguments.done':
        this.#addWhole(event.arguments);
        break;
      case 'response.custom_tool_call_input.done':
        this.#addWhole(event.input);
        break;
      default:
    }
  }

  end(item: AnswerItem): void {
    this.begin(item);
    this.#addWhole(this.#isCustom ? item.input : item.arguments);
    this.abandon();
  }

  /** Truncated arguments are kept as received; a call without a name is dropped. */
  abandon(): void {
    if (!this.#lane.isOpen && this.#name !== '') this.#openHeld();
    this.#lane.finish();
  }

  get #name(): string {
    return textOf(this.#item.name);
  }

  #openIfNamed(): void {
    if (this.#lane.isOpen || this.#name === '' || this.#isHeld) return;
    this.#open();
    for (const text of this.#pending.splice(0)) this.#lane.addText(text);
  }

  /** A wrapper's calls can be separated only once it is complete. */
  get #isHeld(): boolean {
    return !this.#isCustom && isWrapper(this.#name, this.#context.toolNames);
  }

  #open(): void {
    const { namespace, call_id: callId, id } = this.#item;
    const name = this.#context.names.restore(this.#name);
    this.#lane.open({
      type: 'tool-call',
      id: textOf(callId) || textOf(id),
      name: typeof namespace === 'string' && namespace !== '' ? flattenName({ namespace, name }) : name,
      input: { json: '' },
      ...(this.#isCustom && { custom: true }),
      ...keepTexts(this.#item, ['id']),
    });
  }

  #openHeld(): void {
    const context = this.#context;
    const json = this.#pending.join('');
    const calls = unwrapCalls(json, (name) => context.toolNames.has(context.names.restore(name)));
    if (calls.length === 0) {
      this.#open();
      this.#lane.addText(json);
      return;
    }
    const callId = textOf(this.#item.call_id);
    calls.forEach(({ name, input }, at) => {
      this.#lane.open({
        type: 'tool-call',
        id: callId === '' ? '' : `${callId}_${at + 1}`,
        name: context.names.restore(name),
        input: { json: '' },
      });
      this.#lane.addText(describeValue(input));
    });
  }

  #add(text: string): void {
    if (text === '') return;
    this.#streamed.add(text);
    if (this.#lane.isOpen) this.#lane.addText(text);
    else this.#pending.push(text);
  }

  #addWhole(whole: JsonValue | undefined): void {
    this.#add(this.#streamed.findRest(isJsonObject(whole) ? describeValue(whole) : whole));
  }
}
