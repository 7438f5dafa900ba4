import type { BlockLane } from '../../answer/block-queue.ts';
import { type OutputItemReader, StreamedText, keepTexts } from './item-reader.ts';
import type { AnswerItem, AnswerPart, ReadEvent, ResponsesEventType } from './answer-schema.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import { numberOf, textOf } from '../../body/read-answer.ts';

type Kind = 'output_text' | 'refusal';

interface Part {
  index: number;
  streamed: StreamedText;
  annotations: number;
}

/** Reads a message; each part of its content is a block. */
export class MessageReader implements OutputItemReader {
  readonly #lane: BlockLane;
  readonly #parts = new Map<number, Part>();
  #item: AnswerItem = {};
  #open: Part | undefined;

  constructor(lane: BlockLane) {
    this.#lane = lane;
  }

  begin(item: AnswerItem): void {
    this.#item = item;
  }

  read(type: ResponsesEventType, event: ReadEvent): void {
    const part = this.#getPart(numberOf(event.content_index));
    switch (type) {
      case 'response.output_text.delta':
        this.#addText(part, 'output_text', textOf(event.delta));
        break;
      case 'response.output_text.done':
        this.#addText(part, 'output_text', part.streamed.findRest(event.text));
        break;
      case 'response.refusal.delta':
        this.#addText(part, 'refusal', textOf(event.delta));
        break;
      case 'response.refusal.done':
        this.#addText(part, 'refusal', part.streamed.findRest(event.refusal));
        break;
      case 'response.output_text.annotation.added':
        this.#addAnnotation(part, event.annotation);
        break;
      case 'response.content_part.done':
        if (isObject(event.part)) this.#addWhole(part, event.part);
        break;
      default:
    }
  }

  end(item: AnswerItem): void {
    this.#item = { ...this.#item, ...item };
    itemsOf(item.content).forEach((value, index) => {
      if (isObject(value)) this.#addWhole(this.#getPart(index), value);
    });
    this.#lane.finish();
  }

  abandon(): void {
    this.#lane.finish();
  }

  lengthAt(event: ReadEvent): number {
    return this.#getPart(numberOf(event.content_index)).streamed.length;
  }

  #getPart(index: number): Part {
    let part = this.#parts.get(index);
    if (!part) {
      part = { index, streamed: new StreamedText(), annotations: 0 };
      this.#parts.set(index, part);
    }
    return part;
  }

  #addText(part: Part, kind: Kind, text: string): void {
    if (text === '') return;
    this.#openPart(part, kind);
    part.streamed.add(text);
    this.#lane.addText(text);
  }

  #openPart(part: Part, kind: Kind): void {
    if (this.#open === part) return;
    this.#open = part;
    this.#lane.open({
      type: 'text',
      text: '',
      ...(kind === 'refusal' && { refusal: true }),
      ...keepTexts(this.#item, ['id', 'phase']),
    });
  }

  #addWhole(part: Part, whole: AnswerPart): void {
    const kind = whole.type === 'refusal' ? 'refusal' : 'output_text';
    this.#addText(part, kind, part.streamed.findRest(kind === 'refusal' ? whole.refusal : whole.text));
    for (const annotation of itemsOf(whole.annotations).slice(part.annotations))
      this.#addAnnotation(part, annotation);
  }

  /** A citation without text is dropped. */
  #addAnnotation(part: Part, value: ReadEvent['annotation']): void {
    if (this.#open !== part || !isObject(value)) return;
    part.annotations += 1;
    this.#lane.addAnnotation({ format: 'responses', value });
  }
}
