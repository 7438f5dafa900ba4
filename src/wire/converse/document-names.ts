const MOST_LENGTH = 200;

/** Names of the documents of one request: in the characters Converse allows, and each but once. */
export class DocumentNames {
  readonly #used = new Set<string>();

  create(title: string | undefined): string {
    const clean = (title ?? '')
      .replace(/[^a-zA-Z0-9\s()[\]-]/g, '-')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, MOST_LENGTH - 5);
    const base = clean === '' ? 'document' : clean;
    let name = base;
    for (let count = 2; this.#used.has(name.toLowerCase()); count += 1) name = `${base} ${count}`;
    this.#used.add(name.toLowerCase());
    return name;
  }
}
