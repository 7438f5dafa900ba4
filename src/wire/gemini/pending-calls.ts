import type { ToolCallBlock } from '#canonical';

/** The calls of the latest model turn that wait for their results. Gemini tells calls apart by id, name or order alone. */
export class PendingCalls {
  #calls: ToolCallBlock[] = [];
  #count = 0;

  /** A new model turn: what was left open stays so. */
  begin(): void {
    this.#calls = [];
  }

  add(call: ToolCallBlock): void {
    this.#calls.push(call);
  }

  /** An id for a call that came without one; the same in every turn of a conversation. */
  createId(name: string): string {
    this.#count += 1;
    return `call_${this.#count}_${name.replace(/[^\w-]/g, '_').slice(0, 40)}`;
  }

  /** The call a result belongs to; the id it came with, or one of its own, where there is none. */
  take(id: string | undefined, name: string): string {
    const at = this.#find(id, name);
    const [call] = at === -1 ? [] : this.#calls.splice(at, 1);
    return call?.id ?? id ?? this.createId(name);
  }

  #find(id: string | undefined, name: string): number {
    const byId = id === undefined ? -1 : this.#calls.findIndex((call) => call.id === id);
    return byId === -1 ? this.#calls.findIndex((call) => call.name === name) : byId;
  }
}
