/** What OpenRouter's clients append to the name of a model. */
export interface NameSuffix {
  /** The name without it. */
  name: string;
  suffix: string;
  /** The strategy that it asks for. */
  strategy?: 'price' | 'throughput';
  /** What to do instead, where it is not supported. */
  instead?: string;
}

const STRATEGIES: ReadonlyMap<string, NonNullable<NameSuffix['strategy']>> = new Map([
  [':floor', 'price'],
  [':nitro', 'throughput'],
]);

const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  [':free', 'the free models are those with "free": true in GET /v1/models'],
  [':online', 'give the request a web search tool (in Chat: web_search_options)'],
  [':thinking', 'set the effort in the request (in Chat: reasoning_effort)'],
]);

const SUFFIX = /:[a-z]+$/i;

/** The known suffix of a name. */
export function readSuffix(name: string): NameSuffix | undefined {
  const suffix = SUFFIX.exec(name)?.[0].toLowerCase();
  if (suffix === undefined) return undefined;
  const bare = { name: name.slice(0, -suffix.length), suffix };
  const strategy = STRATEGIES.get(suffix);
  if (strategy) return { ...bare, strategy };
  const instead = UNSUPPORTED.get(suffix);
  return instead === undefined ? undefined : { ...bare, instead };
}
