import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { BlockLane } from '../block-queue.ts';
import { type ItemReader, StreamedText, keepTexts } from './item-reader.ts';
import { numberOf, textOf } from '../read-answer.ts';

type Kind = 'output_text' | 'refusal';

interface Part {
  index: number;
  streamed: StreamedText;
  annotations: number;
}

/** Reads a message; each part of its content is a block. */
export class MessageReader implements ItemReader {
  readonly #lane: BlockLane;
  readonly #parts = new Map<number, Part>();
  #item: JsonObject = {};
  #open: Part | undefined;

  constructor(lane: BlockLane) {
    this.#lane = lane;
  }

  begin(item: JsonObject): void {
    this.#item = item;
  }

  read(type: string, event: JsonObject): void {
    const part = this.#getPart(numberOf(event['content_index']));
    switch (type) {
      case 'response.output_text.delta':
        this.#addText(part, 'output_text', textOf(event['delta']));
        break;
      case 'response.output_text.done':
        this.#addText(part, 'output_text', part.streamed.findRest(event['text']));
        break;
      case 'response.refusal.delta':
        this.#addText(part, 'refusal', textOf(event['delta']));
        break;
      case 'response.refusal.done':
        this.#addText(part, 'refusal', part.streamed.findRest(event['refusal']));
        break;
      case 'response.output_text.annotation.added':
        this.#addAnnotation(part, event['annotation']);
        break;
      case 'response.content_part.done':
        if (isJsonObject(event['part'])) this.#addWhole(part, event['part']);
    }
  }

  end(item: JsonObject): void {
    this.#item = { ...this.#item, ...item };
    const { content } = item;
    if (Array.isArray(content)) {
      content.forEach((value, index) => {
        if (isJsonObject(value)) this.#addWhole(this.#getPart(index), value);
      });
    }
    this.#lane.finish();
  }

  abandon(): void {
    this.#lane.finish();
  }

  lengthAt(event: JsonObject): number {
    return this.#getPart(numberOf(event['content_index'])).streamed.length;
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

  #addWhole(part: Part, whole: JsonObject): void {
    const kind = whole['type'] === 'refusal' ? 'refusal' : 'output_text';
    this.#addText(part, kind, part.streamed.findRest(kind === 'refusal' ? whole['refusal'] : whole['text']));
    const { annotations } = whole;
    if (!Array.isArray(annotations)) return;
    for (const annotation of annotations.slice(part.annotations)) this.#addAnnotation(part, annotation);
  }

  /** A citation without text is dropped. */
  #addAnnotation(part: Part, value: JsonValue | undefined): void {
    if (this.#open !== part || !isJsonObject(value)) return;
    part.annotations += 1;
    this.#lane.addAnnotation({ format: 'responses', value });
  }
}
