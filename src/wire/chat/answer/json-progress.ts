const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Follows JSON text that arrives in pieces and reports when its object or array is closed. */
export class JsonProgress {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #complete = false;

  get isComplete(): boolean {
    return this.#complete;
  }

  push(text: string): void {
    for (let at = 0; at < text.length && !this.#complete; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#inString) this.#readInString(code);
      else this.#readOutside(code);
    }
  }

  #readInString(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === BACKSLASH) this.#escaped = true;
    else if (code === QUOTE) this.#inString = false;
  }

  #readOutside(code: number): void {
    if (code === QUOTE) this.#inString = true;
    else if (code === 0x7b || code === 0x5b) this.#depth += 1;
    else if (code === 0x7d || code === 0x5d) {
      this.#depth -= 1;
      this.#complete = this.#depth <= 0;
    }
  }
}
