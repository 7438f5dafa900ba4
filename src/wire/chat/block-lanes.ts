import { type JsonObject, createIdentifier } from '#base';
import type { Annotation, Block, BlockEnd, GenerationEvent, MediaBlock } from '#canonical';
import { JsonProgress } from './json-progress.ts';

/** Text, a refusal or reasoning that is still arriving. */
interface TextLane {
  kind: 'text' | 'refusal' | 'reasoning';
  pending: string[];
  annotations: Annotation[];
  issuer?: string;
  redacted?: string;
  signature?: string;
  /** Nothing more belongs to this block. */
  isSealed: boolean;
}

/** A tool call that is still arriving; id and name may come late. */
export interface CallLane {
  kind: 'call';
  id: string;
  name: string;
  isCustom: boolean;
  pending: string[];
  hasArguments: boolean;
  /** What must be echoed with the call: Gemini's thought signature. */
  extraContent?: JsonObject;
  progress: JsonProgress;
}

/** What comes whole: a picture. */
interface WholeLane {
  kind: 'whole';
  block: MediaBlock;
}

type Lane = TextLane | CallLane | WholeLane;

/**
 * Puts the fragments of an answer into blocks. Upstreams interleave calls, name them late and mix kinds in one chunk;
 * here the first lane is the open block, the others wait until it is closed.
 */
export class BlockLanes {
  readonly #restoreName: (name: string) => string;
  readonly #lanes: Lane[] = [];
  #usedIds: Set<string> | undefined;
  #index = 0;
  #isOpen = false;
  #annotations: Annotation[] = [];
  hasCalls = false;
  hasRefusal = false;

  constructor(restoreName: (name: string) => string) {
    this.#restoreName = restoreName;
  }

  /** Citations that came without any text to stand on. */
  get strayAnnotations(): Annotation[] {
    return this.#annotations;
  }

  addText(kind: TextLane['kind'], text: string, events: GenerationEvent[]): void {
    if (text === '') return;
    if (kind === 'refusal') this.hasRefusal = true;
    const last = this.#lanes.at(-1);
    const lane = last?.kind === kind && !last.isSealed ? last : this.#addTextLane(kind);
    this.#addFragment(lane, text, events);
  }

  /** Reasoning of a known issuer: opened with its first entry, sealed by its signature. */
  addSigned(
    block: { text: string; signature?: string; redacted?: string; issuer?: string },
    events: GenerationEvent[],
  ): void {
    const last = this.#lanes.at(-1);
    const isOpen = last?.kind === 'reasoning' && !last.isSealed && last.issuer === block.issuer;
    const lane = isOpen && block.redacted === undefined ? last : this.#addTextLane('reasoning');
    if (block.issuer) lane.issuer = block.issuer;
    if (block.redacted !== undefined) {
      lane.redacted = block.redacted;
      lane.isSealed = true;
    }
    if (block.signature !== undefined) {
      lane.signature = block.signature;
      lane.isSealed = true;
    }
    // A stream tells the text first in pieces and once more with the signature.
    if (!isOpen && block.text !== '') lane.pending.push(block.text);
    this.#advance(events, false);
  }

  addAnnotation(annotation: Annotation, events: GenerationEvent[]): void {
    const last = this.#lanes.at(-1);
    if (last?.kind !== 'text') {
      this.#annotations.push(annotation);
      return;
    }
    if (this.#isHead(last)) events.push({ type: 'block-annotation', index: this.#index, annotation });
    else last.annotations.push(annotation);
  }

  addWhole(block: MediaBlock, events: GenerationEvent[]): void {
    this.#lanes.push({ kind: 'whole', block });
    this.#advance(events, false);
  }

  addCall(isCustom: boolean): CallLane {
    const lane: CallLane = {
      kind: 'call',
      id: '',
      name: '',
      isCustom,
      pending: [],
      hasArguments: false,
      progress: new JsonProgress(),
    };
    this.#lanes.push(lane);
    return lane;
  }

  addArguments(lane: CallLane, text: string, events: GenerationEvent[]): void {
    // Some upstreams write the word null for no arguments.
    if (text === '' || (text === 'null' && !lane.hasArguments && !lane.isCustom)) {
      this.#advance(events, false);
      return;
    }
    lane.hasArguments = true;
    if (!lane.isCustom) lane.progress.push(text);
    this.#addFragment(lane, text, events);
  }

  /** Closes what is open and gives out what waits; a call that never got a name is no call. */
  finish(events: GenerationEvent[]): void {
    this.#advance(events, true);
  }

  #addTextLane(kind: TextLane['kind']): TextLane {
    const lane: TextLane = { kind, pending: [], annotations: [], isSealed: false };
    if (kind === 'text' && this.#annotations.length > 0) {
      lane.annotations = this.#annotations;
      this.#annotations = [];
    }
    this.#lanes.push(lane);
    return lane;
  }

  #isHead(lane: Lane): boolean {
    return this.#isOpen && this.#lanes[0] === lane;
  }

  #addFragment(lane: TextLane | CallLane, text: string, events: GenerationEvent[]): void {
    if (this.#isHead(lane)) events.push({ type: 'block-delta', index: this.#index, text });
    else lane.pending.push(text);
    if (!this.#isOpen || this.#lanes.length > 1) this.#advance(events, false);
  }

  #advance(events: GenerationEvent[], isFinal: boolean): void {
    for (let head = this.#lanes[0]; head; head = this.#lanes[0]) {
      if (!this.#isOpen) {
        if (this.#isReady(head, isFinal)) this.#open(head, events);
        else if (!isFinal) return;
        else {
          this.#lanes.shift();
          continue;
        }
      }
      if (!isFinal && !this.#isClosable(head)) return;
      this.#close(head, events);
    }
  }

  #isReady(lane: Lane, isFinal: boolean): boolean {
    if (lane.kind !== 'call') return true;
    return (
      lane.name !== '' && (lane.id !== '' || isFinal || lane.progress.isComplete || this.#lanes.length > 1)
    );
  }

  #isClosable(lane: Lane): boolean {
    if (lane.kind === 'whole') return true;
    if (lane.kind !== 'call') return lane.isSealed || this.#lanes.length > 1;
    return lane.progress.isComplete && this.#lanes.length > 1;
  }

  #open(lane: Lane, events: GenerationEvent[]): void {
    const index = this.#index;
    events.push({ type: 'block-start', index, block: this.#createBlock(lane) });
    this.#isOpen = true;
    if (lane.kind === 'whole') return;
    for (const text of lane.pending) events.push({ type: 'block-delta', index, text });
    lane.pending = [];
    if (lane.kind === 'call') return;
    for (const annotation of lane.annotations) events.push({ type: 'block-annotation', index, annotation });
  }

  #close(lane: Lane, events: GenerationEvent[]): void {
    const end: BlockEnd = { type: 'block-end', index: this.#index };
    if (lane.kind === 'reasoning' && lane.signature !== undefined) end.signature = lane.signature;
    events.push(end);
    this.#lanes.shift();
    this.#isOpen = false;
    this.#index += 1;
  }

  #createBlock(lane: Lane): Block {
    switch (lane.kind) {
      case 'whole':
        return lane.block;
      case 'text':
        return { type: 'text', text: '' };
      case 'refusal':
        return { type: 'text', text: '', refusal: true };
      case 'reasoning':
        return {
          type: 'reasoning',
          text: '',
          ...(lane.redacted !== undefined && { redacted: lane.redacted }),
          ...(lane.issuer && { issuer: lane.issuer }),
        };
      case 'call':
        this.hasCalls = true;
        return {
          type: 'tool-call',
          id: this.#claimId(lane.id),
          name: this.#restoreName(lane.name),
          input: { json: '' },
          ...(lane.isCustom && { custom: true }),
          ...(lane.extraContent && { extra: { chat: { extra_content: lane.extraContent } } }),
        };
    }
  }

  /** Two calls of one answer never share an id, and none is without. */
  #claimId(id: string): string {
    const used = (this.#usedIds ??= new Set());
    let claimed = id === '' ? createIdentifier('call') : id;
    for (let copy = 2; used.has(claimed); copy += 1) claimed = `${id}_${copy}`;
    used.add(claimed);
    return claimed;
  }
}
