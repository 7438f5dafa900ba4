import type { ToolCallBlock } from '#canonical';

/** Calls with one id or one name, in order; those before `next` are matched. */
interface Line {
  calls: ToolCallBlock[];
  next: number;
}

/** The calls of the latest model turn that await results. Gemini distinguishes calls by id, name or order alone. */
export class PendingCalls {
  readonly #byId = new Map<string, Line>();
  readonly #byName = new Map<string, Line>();
  readonly #taken = new WeakSet<ToolCallBlock>();
  #count = 0;

  /** A new model turn; earlier open calls stay unanswered. */
  begin(): void {
    this.#byId.clear();
    this.#byName.clear();
  }

  add(call: ToolCallBlock): void {
    enqueue(this.#byId, call.id, call);
    enqueue(this.#byName, call.name, call);
  }

  /** Generates an id for a call without one; stable across the turns of a conversation. */
  createId(name: string): string {
    this.#count += 1;
    return `call_${this.#count}_${name.replace(/[^\w-]/g, '_').slice(0, 40)}`;
  }

  /** The id of the call a result belongs to; without such a call the result's own id, or a new one. */
  take(id: string | undefined, name: string): string {
    const byId = id === undefined ? undefined : this.#takeNext(this.#byId.get(id));
    const call = byId ?? this.#takeNext(this.#byName.get(name));
    return call?.id ?? id ?? this.createId(name);
  }

  /** Skips calls already matched by the other key. */
  #takeNext(waiting: Line | undefined): ToolCallBlock | undefined {
    for (let call = waiting?.calls[waiting.next]; waiting && call; call = waiting.calls[waiting.next]) {
      waiting.next += 1;
      if (this.#taken.has(call)) continue;
      this.#taken.add(call);
      return call;
    }
    return undefined;
  }
}

function enqueue(lines: Map<string, Line>, word: string, call: ToolCallBlock): void {
  const known = lines.get(word);
  if (known) known.calls.push(call);
  else lines.set(word, { calls: [call], next: 0 });
}
