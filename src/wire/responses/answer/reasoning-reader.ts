import type { BlockLane } from '../../answer/block-queue.ts';
import { type AnswerContext, type OutputItemReader, StreamedText, keepTexts } from './item-reader.ts';
import type { AnswerItem, ReadEvent, ResponsesEventType } from './answer-schema.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import { numberOf, textOf } from '../../body/read-answer.ts';

type Kind = 'summary' | 'content';

/**
 * Reads reasoning: its summary parts (or its text, if there is no summary) form one block, signed by the encrypted
 * reasoning. Encrypted reasoning without text is a redacted block.
 */
export class ReasoningReader implements OutputItemReader {
  readonly #lane: BlockLane;
  readonly #context: AnswerContext;
  readonly #parts = new Map<number, StreamedText>();
  #item: AnswerItem = {};
  #kind: Kind | undefined;
  #hasIssuer: boolean;

  constructor(lane: BlockLane, context: AnswerContext) {
    this.#lane = lane;
    this.#context = context;
    this.#hasIssuer = context.isEncrypted;
  }

  begin(item: AnswerItem): void {
    this.#item = item;
    if (textOf(item.encrypted_content) !== '') this.#hasIssuer = true;
  }

  read(type: ResponsesEventType, event: ReadEvent): void {
    const { delta, text, summary_index: summaryIndex, content_index: contentIndex } = event;
    switch (type) {
      case 'response.reasoning_summary_text.delta':
        this.#add('summary', numberOf(summaryIndex), textOf(delta));
        break;
      case 'response.reasoning_summary_text.done':
        this.#addWhole('summary', numberOf(summaryIndex), text);
        break;
      case 'response.reasoning_summary_part.done':
        if (isObject(event.part)) this.#addWhole('summary', numberOf(summaryIndex), event.part.text);
        break;
      case 'response.reasoning_text.delta':
        this.#add('content', numberOf(contentIndex), textOf(delta));
        break;
      case 'response.reasoning_text.done':
        this.#addWhole('content', numberOf(contentIndex), text);
        break;
      default:
    }
  }

  end(item: AnswerItem): void {
    this.#item = { ...this.#item, ...item };
    const secret = textOf(item.encrypted_content);
    const isNew = !this.#lane.isOpen;
    if (isNew) this.#hasIssuer = secret !== '';
    for (const kind of ['summary', 'content'] as const) this.#addParts(kind, item[kind]);
    if (this.#lane.isOpen) {
      this.#lane.close(secret !== '' && this.#hasIssuer ? secret : undefined);
    } else if (secret !== '') {
      const kept = keepTexts(this.#item, ['id']);
      this.#lane.open({
        type: 'reasoning',
        text: '',
        redacted: secret,
        issuer: this.#context.issuer,
        ...kept,
      });
    }
    this.#lane.finish();
  }

  abandon(): void {
    this.#lane.finish();
  }

  #addParts(kind: Kind, parts: AnswerItem[Kind]): void {
    itemsOf(parts).forEach((part, index) => {
      if (isObject(part)) this.#addWhole(kind, index, part.text);
    });
  }

  #addWhole(kind: Kind, index: number, whole: unknown): void {
    const streamed = this.#parts.get(index);
    if (this.#kind !== undefined && this.#kind !== kind) return;
    this.#add(kind, index, streamed ? streamed.findRest(whole) : textOf(whole));
  }

  #add(kind: Kind, index: number, text: string): void {
    if (text === '' || (this.#kind ?? kind) !== kind) return;
    this.#kind = kind;
    let part = this.#parts.get(index);
    const isNext = !part && this.#parts.size > 0;
    part ??= new StreamedText();
    this.#parts.set(index, part);
    part.add(text);
    if (!this.#lane.isOpen) this.#open();
    if (isNext) this.#lane.addText('\n\n');
    this.#lane.addText(text);
  }

  #open(): void {
    this.#lane.open({
      type: 'reasoning',
      text: '',
      ...(this.#hasIssuer && { issuer: this.#context.issuer }),
      ...keepTexts(this.#item, ['id']),
    });
  }
}
