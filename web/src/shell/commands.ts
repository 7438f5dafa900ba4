export interface Command {
  id: string;
  name: string;
  /** What kind of thing it leads to. */
  about: string;
  /** The keys that do the same. */
  keys?: string;
  run(): void;
}

interface Sources {
  pages: readonly { to: string; name: string; key: string }[];
  models: readonly string[];
  /** Whether the session may compare costs. */
  compares: boolean;
  go(path: string): void;
  switchScheme(): void;
}

const MOST = 12;
/** Ids of sessions are long. */
const LEAST_SESSION = 8;
const REQUEST = /^req_\w+$/;

/** What fits the text, pages first. */
export function chooseCommands(text: string, sources: Sources): Command[] {
  const { pages, models, compares, go, switchScheme } = sources;
  const wanted = text.trim();
  const words = wanted.toLowerCase().split(/\s+/);
  const fits = ({ name, about }: Command): boolean =>
    words.every((word) => `${name} ${about}`.toLowerCase().includes(word));
  const fixed: Command[] = [
    ...pages.map(({ to, name, key }) => ({
      ...{ id: to, name, about: 'page', keys: `g ${key}` },
      run: () => go(to),
    })),
    { id: 'scheme', name: 'Switch light and dark', about: 'colours', run: switchScheme },
    ...(compares
      ? [
          {
            id: 'calculator',
            name: 'What would it have cost?',
            about: 'page',
            run: () => go('/models/calculator'),
          },
        ]
      : []),
  ];
  const found =
    wanted === ''
      ? []
      : models.map((id) => ({
          ...{ id: `model ${id}`, name: id, about: 'model' },
          run: () => go(`/models/${encodeURIComponent(id)}`),
        }));
  return [
    ...(REQUEST.test(wanted)
      ? [{ id: 'request', name: wanted, about: 'request', run: () => go(`/requests/${wanted}`) }]
      : []),
    ...[...fixed, ...found].filter(fits),
    ...(wanted.length >= LEAST_SESSION && !REQUEST.test(wanted)
      ? [
          {
            id: 'session',
            name: wanted,
            about: 'session of a client',
            run: () => go(`/sessions/${encodeURIComponent(wanted)}`),
          },
        ]
      : []),
  ].slice(0, MOST);
}
