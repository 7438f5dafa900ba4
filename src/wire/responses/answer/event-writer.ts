import type { SseMessage } from '#base';
import type { AnswerPart, ReadEvent } from './answer-schema.ts';
import type { Block } from '#canonical';
import { encodePart } from './output-list.ts';

/** The events that stream a block. */
export interface Announcement {
  /** Event type prefix; `.delta` and `.done` follow. */
  stem: string;
  /** Member of the closing event that contains the whole text. */
  whole: 'text' | 'refusal' | 'arguments' | 'input';
  /** Type prefix of the surrounding events if the text is one of several parts; `.added` and `.done` follow. */
  part?: string;
  /** Members sent alongside a text. */
  siblings: Pick<AnswerPart, 'logprobs'>;
}

const TEXT: Announcement = {
  stem: 'response.output_text',
  whole: 'text',
  part: 'response.content_part',
  siblings: { logprobs: [] },
};
const REFUSAL: Announcement = {
  stem: 'response.refusal',
  whole: 'refusal',
  part: 'response.content_part',
  siblings: {},
};
const SUMMARY: Announcement = {
  stem: 'response.reasoning_summary_text',
  whole: 'text',
  part: 'response.reasoning_summary_part',
  siblings: {},
};
const ARGUMENTS: Announcement = {
  stem: 'response.function_call_arguments',
  whole: 'arguments',
  siblings: {},
};
const INPUT: Announcement = { stem: 'response.custom_tool_call_input', whole: 'input', siblings: {} };

/** The events that stream a block; undefined if it is complete when it opens. */
export function findAnnouncement(block: Block): Announcement | undefined {
  switch (block.type) {
    case 'text':
      return block.refusal ? REFUSAL : TEXT;
    case 'reasoning':
      return SUMMARY;
    case 'tool-call':
      return block.custom ? INPUT : ARGUMENTS;
    default:
      return undefined;
  }
}

/** A block as a part of its item. */
export function encodeBlockPart(block: Block): AnswerPart | undefined {
  if (block.type === 'text') return encodePart(block);
  return block.type === 'reasoning' ? { type: 'summary_text', text: block.text } : undefined;
}

/** Numbers the events of one stream. */
export class EventWriter {
  #sequence = 0;

  write(type: string, members: ReadEvent): SseMessage {
    return this.writeText(type, JSON.stringify(members).slice(1, -1));
  }

  /** Relays an upstream's event; `data` is its text, used unchanged if its number fits. */
  relay(type: string, value: ReadEvent, data?: string): SseMessage {
    const sequence = this.#sequence;
    this.#sequence += 1;
    if (data !== undefined && value.sequence_number === sequence) return { event: type, data };
    return { event: type, data: JSON.stringify({ ...value, sequence_number: sequence }) };
  }

  /** The same for members that are already JSON text. */
  writeText(type: string, members: string): SseMessage {
    const sequence = this.#sequence;
    this.#sequence += 1;
    return { event: type, data: `{"type":"${type}",${members},"sequence_number":${sequence}}` };
  }
}
