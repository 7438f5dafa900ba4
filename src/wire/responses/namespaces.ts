import type { Tool } from '#canonical';
import type { NamespacedName } from '../contract.ts';
import { DistinctNames } from '../tools/distinct-names.ts';
import { isPresent } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';

/** A tool's name, with its namespace if it is in one. */
interface GivenName {
  namespace?: string | null | undefined;
  name: string;
}

/** The flat name of a namespaced tool, for formats without namespaces. */
export function flattenName({ namespace, name }: NamespacedName): string {
  return namespace.endsWith('__') ? `${namespace}${name}` : `${namespace}__${name}`;
}

/** The flat names of a request's tools, distinct across namespaces; plain tools keep theirs. */
export class ToolNaming {
  readonly #flat = new Map<string, string>();
  /** Names without a namespace: those of plain tools, then the first namespaced tool of each name. */
  readonly #bare = new Map<string, string>();

  constructor(given: readonly GivenName[]) {
    const names = new DistinctNames({ separator: '_' });
    for (const { namespace, name } of given) {
      if (isPresent(namespace) || this.#bare.has(name)) continue;
      this.#bare.set(name, names.create(name));
    }
    for (const { namespace, name } of given) {
      if (!isPresent(namespace)) continue;
      const key = keyOf({ namespace, name });
      if (this.#flat.has(key)) continue;
      const flat = names.create(flattenName({ namespace, name }));
      this.#flat.set(key, flat);
      if (!this.#bare.has(name)) this.#bare.set(name, flat);
    }
  }

  /** Codex omits the namespace of calls in `functions`, OpenAI's default one. */
  find({ namespace, name }: GivenName): string {
    if (!isPresent(namespace)) return this.#bare.get(name) ?? name;
    return this.#flat.get(keyOf({ namespace, name })) ?? flattenName({ namespace, name });
  }
}

function keyOf({ namespace, name }: NamespacedName): string {
  return JSON.stringify([namespace, name]);
}

/** The namespaced tools of a request by flat name. */
export function listPlacedNames(tools: readonly Tool[]): ReadonlyMap<string, NamespacedName> {
  const placed = new Map<string, NamespacedName>();
  for (const tool of tools) {
    const { namespace, name }: Members<NamespacedName> = tool.extra?.responses ?? {};
    if (tool.name !== undefined && typeof namespace === 'string' && typeof name === 'string')
      placed.set(tool.name, { namespace, name });
  }
  return placed;
}
