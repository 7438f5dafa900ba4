/** Room for every code unit below one place. */
const UNITS = 0x1_0000;

/** The end of a text so far: the longest one that begins a sequence. */
export type Place = number;

/** Before any text. */
export const NO_PLACE: Place = 0;

/** What of a text that was looked through ends a sequence. */
interface Found {
  sequence: string;
  /** Where it ends, in the piece that was looked through; what follows was not looked at. */
  end: number;
}

/**
 * Finds the first of several sequences that is complete, of those that end together the longest, in a text that comes in pieces
 * (Aho and Corasick, 1975). Each character costs the same, however many sequences there are and whatever they look like.
 */
export class SequenceFinder {
  readonly #next = new Map<number, Place>();
  /** By place: how long that end is, the longest shorter end that begins a sequence too, and the sequence it ends with. */
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

  /** How many characters at the end of the text may become a sequence yet. */
  countOpen(place: Place): number {
    return this.#lengths[place] ?? 0;
  }

  /** Goes on from a place through the next piece of the text, up to the first sequence. */
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

  /** Shorter ends first: longer ones are made of them. */
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
