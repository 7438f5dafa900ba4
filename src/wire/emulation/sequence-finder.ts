/** One slot per code unit. */
const UNITS = 0x1_0000;

/** A state: the longest suffix of the text so far that begins a sequence. */
type MatchState = number;

/** The state before any text. */
export const INITIAL_STATE: MatchState = 0;

/** A sequence found in a text. */
interface FoundSequence {
  sequence: string;
  /** Its end in the current piece; the rest was not searched. */
  end: number;
}

/**
 * Finds the first complete sequence, and the longest of those that end together, in a text that arrives in pieces (Aho
 * and Corasick, 1975). The cost per character is constant, however many sequences there are and whatever they contain.
 */
export class SequenceFinder {
  readonly #next = new Map<number, MatchState>();
  /**
   * Per state: the length of the suffix, the longest shorter one that also begins a sequence, and the sequence it
   * completes.
   */
  readonly #lengths = [0];
  readonly #shorter: MatchState[] = [INITIAL_STATE];
  readonly #complete: (string | undefined)[] = [undefined];

  constructor(sequences: readonly string[]) {
    const parents: MatchState[] = [INITIAL_STATE];
    const units = [0];
    for (const sequence of sequences) {
      let place = INITIAL_STATE;
      for (let at = 0; at < sequence.length; at += 1) {
        const unit = sequence.charCodeAt(at);
        const known = this.#next.get(place * UNITS + unit);
        if (known === undefined) {
          parents.push(place);
          units.push(unit);
        }
        place = known ?? this.#add(place, unit);
      }
      this.#complete[place] = sequence;
    }
    this.#link(parents, units);
  }

  /** How many characters at the end of the text may still become a sequence. */
  countOpen(place: MatchState): number {
    return this.#lengths[place] ?? 0;
  }

  /** Advances a state through the next piece of the text, up to the first sequence. */
  read(place: MatchState, text: string): { place: MatchState; found?: FoundSequence } {
    let current = place;
    for (let at = 0; at < text.length; at += 1) {
      current = this.#step(current, text.charCodeAt(at));
      const sequence = this.#complete[current];
      if (sequence !== undefined) return { place: current, found: { sequence, end: at + 1 } };
    }
    return { place: current };
  }

  #add(parent: MatchState, unit: number): MatchState {
    const place = this.#lengths.push((this.#lengths[parent] ?? 0) + 1) - 1;
    this.#shorter.push(INITIAL_STATE);
    this.#complete.push(undefined);
    this.#next.set(parent * UNITS + unit, place);
    return place;
  }

  #step(from: MatchState, unit: number): MatchState {
    for (let place = from; ; place = this.#shorter[place] ?? INITIAL_STATE) {
      const next = this.#next.get(place * UNITS + unit);
      if (next !== undefined) return next;
      if (place === INITIAL_STATE) return INITIAL_STATE;
    }
  }

  /** Shorter suffixes first: longer ones are built from them. */
  #link(parents: readonly MatchState[], units: readonly number[]): void {
    const places = [...this.#lengths.keys()].slice(1);
    places.sort((a, b) => this.countOpen(a) - this.countOpen(b));
    for (const place of places) {
      const parent = parents[place] ?? INITIAL_STATE;
      if (parent !== INITIAL_STATE)
        this.#shorter[place] = this.#step(this.#shorter[parent] ?? INITIAL_STATE, units[place] ?? 0);
      this.#complete[place] ??= this.#complete[this.#shorter[place] ?? INITIAL_STATE];
    }
  }
}
