/** One slot per code unit. */
const UNITS = 0x1_0000;

/** A state: the longest suffix of the text so far that begins a sequence. */
type Place = number;

/** The state before any text. */
export const NO_PLACE: Place = 0;

/** A sequence found in a text. */
interface Found {
  sequence: string;
  /** Its end in the current piece; the rest was not searched. */
  end: number;
}

/**
 * Finds the first complete sequence, and the longest of those that end together, in a text that arrives in pieces (Aho
 * and Corasick, 1975). The cost per character is constant, however many sequences there are and whatever they contain.
 */
export class SequenceFinder {
  readonly #next = new Map<number, Place>();
  /**
   * Per state: the length of the suffix, the longest shorter one that also begins a sequence, and the sequence it
   * completes.
   */
  readonly #lengths = [0];
  readonly #shorter: Place[] = [NO_PLACE];
  readonly #complete: (string | undefined)[] = [undefined];

  constructor(sequences: readonly string[]) {
    const parents: Place[] = [NO_PLACE];
    const units = [0];
    for (const sequence of sequences) {
      let place = NO_PLACE;
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
  countOpen(place: Place): number {
    return this.#lengths[place] ?? 0;
  }

  /** Advances a state through the next piece of the text, up to the first sequence. */
  read(place: Place, text: string): { place: Place; found?: Found } {
    let current = place;
    for (let at = 0; at < text.length; at += 1) {
      current = this.#step(current, text.charCodeAt(at));
      const sequence = this.#complete[current];
      if (sequence !== undefined) return { place: current, found: { sequence, end: at + 1 } };
    }
    return { place: current };
  }

  #add(parent: Place, unit: number): Place {
    const place = this.#lengths.push((this.#lengths[parent] ?? 0) + 1) - 1;
    this.#shorter.push(NO_PLACE);
    this.#complete.push(undefined);
    this.#next.set(parent * UNITS + unit, place);
    return place;
  }

  #step(from: Place, unit: number): Place {
    for (let place = from; ; place = this.#shorter[place] ?? NO_PLACE) {
      const next = this.#next.get(place * UNITS + unit);
      if (next !== undefined) return next;
      if (place === NO_PLACE) return NO_PLACE;
    }
  }

  /** Shorter suffixes first: longer ones are built from them. */
  #link(parents: readonly Place[], units: readonly number[]): void {
    const places = [...this.#lengths.keys()].slice(1);
    places.sort((a, b) => this.countOpen(a) - this.countOpen(b));
    for (const place of places) {
      const parent = parents[place] ?? NO_PLACE;
      if (parent !== NO_PLACE)
        this.#shorter[place] = this.#step(this.#shorter[parent] ?? NO_PLACE, units[place] ?? 0);
      this.#complete[place] ??= this.#complete[this.#shorter[place] ?? NO_PLACE];
    }
  }
}
