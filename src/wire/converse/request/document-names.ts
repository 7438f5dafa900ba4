import { DistinctNames } from '../../tools/distinct-names.ts';

const MOST_LENGTH = 200;

/** Document names of one request: distinct, in the characters Converse allows. */
export class DocumentNames {
  readonly #names = new DistinctNames({ separator: ' ', toKey: (name) => name.toLowerCase() });

  create(title: string | undefined): string {
    const clean = (title ?? '')
      .replace(/[^a-zA-Z0-9\s()[\]-]/g, '-')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, MOST_LENGTH - 5);
    return this.#names.create(clean === '' ? 'document' : clean);
  }
}
