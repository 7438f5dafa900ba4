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
  /** Records whose names fit the text. */
  named: readonly { id: string; name: string; kind: string; path: string }[];
  /** Whether the session may compare costs. */
  compares: boolean;
  go(path: string): void;
  switchScheme(): void;
}

const MOST = 12;
const MOST_RECORDS = 6;
/** Ids of sessions are long. */
const LEAST_SESSION = 8;
const REQUEST = /^req_\w+$/;

/** What fits the text, pages first. */
export function chooseCommands(text: string, sources: Sources): Command[] {
  const wanted = text.trim();
  const words = wanted.toLowerCase().split(/\s+/);
  const fits = ({ name, about }: Command): boolean =>
    words.every((word) => `${name} ${about}`.toLowerCase().includes(word));
  const known = [...listPages(sources), ...(wanted === '' ? [] : listModels(sources))].filter(fits);
  const records = wanted === '' ? [] : listRecords(sources).filter(fits);
  const isRequest = REQUEST.test(wanted);
  const request = { id: 'request', name: wanted, about: 'request', path: `/requests/${wanted}` };
  const session = {
    id: 'session',
    name: wanted,
    about: 'session of a client',
    path: `/sessions/${encodeURIComponent(wanted)}`,
  };
  return [
    ...(isRequest ? [toCommand(request, sources)] : []),
    // Many models never hide the key that is looked for.
    ...known.slice(0, MOST - Math.min(records.length, MOST_RECORDS)),
    ...records,
    ...(wanted.length >= LEAST_SESSION && !isRequest ? [toCommand(session, sources)] : []),
  ].slice(0, MOST);
}

function listPages(sources: Sources): Command[] {
  const { pages, compares, switchScheme } = sources;
  const calculator = {
    id: 'calculator',
    name: 'What would it have cost?',
    about: 'page',
    path: '/models/calculator',
  };
  return [
    ...pages.map(({ to, name, key }) =>
      toCommand({ id: to, name, about: 'page', keys: `g ${key}`, path: to }, sources),
    ),
    { id: 'scheme', name: 'Switch light and dark', about: 'colours', run: switchScheme },
    ...(compares ? [toCommand(calculator, sources)] : []),
  ];
}

function listModels(sources: Sources): Command[] {
  return sources.models.map((id) =>
    toCommand(
      { id: `model ${id}`, name: id, about: 'model', path: `/models/${encodeURIComponent(id)}` },
      sources,
    ),
  );
}

const listRecords = (sources: Sources): Command[] =>
  sources.named.map(({ id, name, kind, path }) => toCommand({ id, name, about: kind, path }, sources));

function toCommand(
  { path, ...command }: Omit<Command, 'run'> & { path: string },
  { go }: Pick<Sources, 'go'>,
): Command {
  return { ...command, run: () => go(path) };
}
