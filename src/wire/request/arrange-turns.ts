import { append } from '#base';
import type { Block, ToolCallBlock, ToolResultBlock, Turn } from '#canonical';
import { createMissingResult } from './describe-result.ts';

/** A format's requirements for the order of turns. */
export interface TurnRules {
  /** Which consecutive turns of one role are merged: all, only the assistant's after a tool call, or none. */
  joins: 'all' | 'after-calls' | 'none';
  /** Whether instructions in mid-conversation stay turns of their own or become user turns. */
  system: 'own' | 'user';
  /**
   * Where tool results go: right after the calls, ordered by call or as sent, or into the turn that holds the first of
   * them. Only with `in-place` may they follow another assistant turn.
   */
  results: 'by-call' | 'as-sent' | 'in-place';
  /** Returns the id to use for a call, where the format refuses repeated ids. */
  claimId?(id: string): string;
}

/** A tool call and its results, at least one. */
export interface Answer {
  call: ToolCallBlock;
  results: ToolResultBlock[];
}

/** A turn that begins with answers to tool calls; results among its blocks match no call. */
export interface ArrangedTurn extends Turn {
  answers: Answer[];
}

/** The calls of an assistant turn, and the turn that answers them. */
interface Round {
  answers: OpenAnswer[];
  turn: ArrangedTurn | undefined;
}

interface OpenAnswer extends Answer {
  isPlaced: boolean;
}

/** The calls of one round that have the same id; each result answers the next, and the last one takes the rest. */
interface Line {
  round: Round;
  answers: OpenAnswer[];
  next: number;
}

/** Orders turns as a format requires; every call gets exactly one answer. */
export function arrangeTurns(turns: readonly Turn[], rules: TurnRules): ArrangedTurn[] {
  const arranger = new TurnArranger(rules);
  for (const turn of turns) {
    if (turn.role === 'assistant') arranger.addAssistant(turn);
    else arranger.addOther(turn);
  }
  return arranger.finish();
}

class TurnArranger {
  readonly #rules: TurnRules;
  readonly #turns: ArrangedTurn[] = [];
  readonly #rounds: Round[] = [];
  /** Calls that may still receive results, by id. */
  readonly #open = new Map<string, Line>();
  #owner: ArrangedTurn | undefined;

  constructor(rules: TurnRules) {
    this.#rules = rules;
  }

  addAssistant(turn: Turn): void {
    const last = this.#turns.at(-1);
    if (last?.role === 'assistant' && this.#joinsAssistant(turn)) {
      append(this.#ownBlocks(last), this.#openCalls(turn.blocks));
      if (turn.extra) last.extra = { ...last.extra, ...turn.extra };
      return;
    }
    this.#startRound();
    this.#push('assistant', this.#openCalls(turn.blocks), turn.extra);
  }

  addOther(turn: Turn): void {
    this.#openAnswers();
    const role = this.#rules.system === 'user' ? 'user' : turn.role;
    const last = this.#turns.at(-1);
    if (this.#rules.joins === 'all' && last?.role === role)
      append(this.#ownBlocks(last), this.#takeResults(turn.blocks, last));
    else {
      const added = this.#push(role, turn.blocks, turn.extra);
      added.blocks = this.#takeResults(turn.blocks, added);
    }
  }

  finish(): ArrangedTurn[] {
    this.#openAnswers();
    for (const { answers, turn } of this.#rounds) {
      for (const answer of answers) {
        if (answer.results.length === 0) answer.results.push(createMissingResult(answer.call.id));
        if (!answer.isPlaced) turn?.answers.push(answer);
      }
    }
    return this.#turns;
  }

  /** A repeated id starts another round. */
  #joinsAssistant({ blocks }: Turn): boolean {
    if (this.#rules.joins !== 'after-calls') return this.#rules.joins === 'all';
    if (this.#open.size === 0) return false;
    return !blocks.some((block) => block.type === 'tool-call' && this.#open.has(block.id));
  }

  #startRound(): void {
    this.#openAnswers();
    if (this.#rules.results !== 'in-place' && this.#open.size > 0) this.#open.clear();
    this.#rounds.push({ answers: [], turn: undefined });
  }

  /** Returns the blocks with the calls under their claimed ids. */
  #openCalls(blocks: Block[]): Block[] {
    const round = this.#rounds.at(-1);
    let opened: Block[] | undefined;
    for (const [at, block] of blocks.entries()) {
      if (block.type !== 'tool-call' || !round) continue;
      const call = this.#openCall(block, round);
      if (call !== block) (opened ??= [...blocks])[at] = call;
    }
    return opened ?? blocks;
  }

  #openCall(block: ToolCallBlock, round: Round): ToolCallBlock {
    const id = this.#rules.claimId?.(block.id) ?? block.id;
    const call = id === block.id ? block : { ...block, id };
    const answer: OpenAnswer = { call, results: [], isPlaced: false };
    round.answers.push(answer);
    const known = this.#open.get(block.id);
    if (known?.round === round) known.answers.push(answer);
    else this.#open.set(block.id, { round, answers: [answer], next: 0 });
    return call;
  }

  /** Assigns results to their calls; returns the other blocks. */
  #takeResults(blocks: Block[], turn: ArrangedTurn): Block[] {
    if (!blocks.some(({ type }) => type === 'tool-result')) return blocks;
    return blocks.filter((block) => {
      const line = block.type === 'tool-result' ? this.#open.get(block.callId) : undefined;
      const answer = line?.answers[line.next];
      if (block.type !== 'tool-result' || !line || !answer) return true;
      answer.results.push(block);
      this.#place(answer, this.#rules.results === 'in-place' ? turn : line.round.turn);
      line.next = Math.min(line.next + 1, line.answers.length - 1);
      return false;
    });
  }

  /** Adds the turn with the answers, once no more calls can follow. */
  #openAnswers(): void {
    const round = this.#rounds.at(-1);
    if (!round || round.turn || round.answers.length === 0) return;
    round.turn = this.#push('user', []);
    if (this.#rules.results !== 'by-call') return;
    for (const answer of round.answers) {
      answer.isPlaced = true;
      round.turn.answers.push(answer);
    }
  }

  #place(answer: OpenAnswer, target: ArrangedTurn | undefined): void {
    if (answer.isPlaced) return;
    answer.isPlaced = true;
    target?.answers.push(answer);
  }

  #push(role: Turn['role'], blocks: Block[], extra?: Turn['extra']): ArrangedTurn {
    const turn: ArrangedTurn = { role, blocks, answers: [] };
    if (extra) turn.extra = extra;
    this.#turns.push(turn);
    return turn;
  }

  /** A copy of the turn's blocks that can be appended to. */
  #ownBlocks(turn: ArrangedTurn): Block[] {
    if (this.#owner !== turn) turn.blocks = [...turn.blocks];
    this.#owner = turn;
    return turn.blocks;
  }
}

/** An encoded turn; a type alias, because an interface is not assignable to JsonObject. */
export type Message<Part> = { role: Turn['role']; content: Part[] };

/** Drops messages without content and merges adjacent ones of the same role. */
export function joinMessages<Part>(messages: readonly Message<Part>[]): Message<Part>[] {
  const joined: Message<Part>[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.content.length === 0) continue;
    if (last?.role === message.role) append(last.content, message.content);
    else joined.push(message);
  }
  return joined;
}

/** Filler texts for conversations that a format would refuse. */
interface Fillers<Part> {
  /** First content, if the conversation does not begin with the user. */
  opening: Part;
  /** Content after a final assistant turn that the model may not continue. */
  closing?: Part;
}

export function fillEnds<Part>(messages: Message<Part>[], { opening, closing }: Fillers<Part>): void {
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [opening] });
  if (closing !== undefined && messages.at(-1)?.role === 'assistant')
    messages.push({ role: 'user', content: [closing] });
}
