import { createHash } from 'node:crypto';

/** Tool names as one upstream takes them, and the way back: the names of one exchange stay apart. */
export class ToolNames {
  readonly #maxLength: number;
  readonly #sent = new Map<string, string>();
  readonly #known = new Map<string, string>();

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  send(name: string): string {
    const sent = this.#sent.get(name) ?? this.#shorten(name);
    this.#sent.set(name, sent);
    this.#known.set(sent, name);
    return sent;
  }

  readonly restore = (sent: string): string => this.#known.get(sent) ?? sent;

  #shorten(name: string): string {
    const fits = name.length <= this.#maxLength && /^[a-zA-Z0-9_-]+$/.test(name);
    if (fits && !this.#known.has(name)) return name;
    const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
    const kept = name
      .replace(/[^a-zA-Z0-9_-]/g, '_')
      .slice(0, Math.max(0, this.#maxLength - hash.length - 1));
    return `${kept}_${hash}`;
  }
}
