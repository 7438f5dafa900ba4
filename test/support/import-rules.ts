import { posix } from 'node:path';
import { type Breach, type SourceFile, isTest, resolveImport, roomOf, stripComments } from './source-tree.ts';

type Rooms = Record<string, readonly string[]>;

/** Packages that only the named rooms may import. */
const OWNERS: Record<string, readonly string[]> = {
  pg: ['storage'],
  'pg-copy-streams': ['storage'],
  kysely: ['storage'],
  ioredis: ['storage'],
  'prom-client': ['telemetry'],
  undici: ['http', 'providers'],
  'find-my-way': ['http'],
  'openid-client': ['http'],
  'node:http': ['http', 'providers'],
  'node:https': ['http', 'providers'],
  'node:http2': ['http', 'providers'],
};

/** Folders whose children are siblings that must not import each other. */
const SIBLINGS = [
  'src/wire',
  'src/providers',
  'src/http/endpoints',
  'src/http/endpoints/gateway',
  'src/http/endpoints/admin',
];

/** Folders among siblings that hold what these share: siblings may import them, but not the other way round. */
const SHELVES: Record<string, readonly string[]> = {
  'src/wire': ['answer', 'body', 'emulation', 'errors', 'media', 'objects', 'request', 'tools'],
};

/** Imports that leave their room other than through an index the table allows. Tests may import any room's index. */
export function findRoomBreaches(files: SourceFile[], rooms: Rooms): Breach[] {
  return inspectImports(files, (file, specifier) => {
    const room = roomOf(file.path);
    if (specifier.startsWith('#')) return judgeRoom(file.path, specifier.slice(1), rooms);
    const target = resolveImport(file.path, specifier);
    if (target === undefined) return undefined;
    if (isTest(file.path) && target.startsWith('test/')) return undefined;
    return target.startsWith(`src/${room}/`) ? undefined : `reaches ${target} past the room's index`;
  });
}

function judgeRoom(path: string, wanted: string, rooms: Rooms): string | undefined {
  const room = roomOf(path);
  if (!(wanted in rooms)) return `imports #${wanted}, which is no room`;
  if (isTest(path)) return undefined;
  if (wanted === room) return `imports its own room through #${wanted}`;
  const allowed = room === 'main.ts' ? ['cli'] : (rooms[room] ?? []);
  return allowed.includes(wanted) ? undefined : `${room} may not look at ${wanted}`;
}

/** Imports between sibling folders that must not import each other. */
export function findSiblingBreaches(files: SourceFile[]): Breach[] {
  return inspectImports(files, (file, specifier) => {
    const target = resolveImport(file.path, specifier);
    if (target === undefined) return undefined;
    for (const parent of SIBLINGS) {
      const [own, other] = [childOf(parent, file.path), childOf(parent, target)];
      if (own === undefined || other === undefined || own === other) continue;
      if (!SHELVES[parent]?.includes(other)) return `looks at its sibling ${parent}/${other}`;
    }
    return undefined;
  });
}

/** The folder in `parent` that has a file; undefined for files elsewhere, and for those directly in `parent`, which siblings share. */
function childOf(parent: string, path: string): string | undefined {
  if (!path.startsWith(`${parent}/`)) return undefined;
  const rest = path.slice(parent.length + 1).split('/');
  return rest.length > 1 ? rest[0] : undefined;
}

/** Packages and runtime modules used outside the rooms that own them. */
export function findOwnershipBreaches(files: SourceFile[]): Breach[] {
  return inspectImports(files, (file, specifier) => {
    const owners = OWNERS[packageOf(specifier)];
    if (!owners || isTest(file.path) || owners.includes(roomOf(file.path))) return undefined;
    return `imports ${specifier}, which belongs to ${owners.join(' and ')}`;
  });
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}

/** Reads of the environment outside `app`, export stars, default exports. */
export function findTextBreaches(files: SourceFile[]): Breach[] {
  return files.flatMap((file) => {
    const code = stripComments(file.text);
    const breaches: Breach[] = [];
    const add = (reason: string) => breaches.push({ path: file.path, reason });
    const readsEnvironment = /\bprocess\s*\.\s*env\b|\bimport\b[^;]*\benv\b[^;]*['"]node:process['"]/.test(
      code,
    );
    if (readsEnvironment && roomOf(file.path) !== 'app' && !isTest(file.path)) add('reads the environment');
    if (/^\s*export\s*(type\s*)?\*/m.test(code)) add('exports a star');
    if (/^\s*export\s+default\b|\bas\s+default\b/m.test(code)) add('has a default export');
    return breaches;
  });
}

function inspectImports(
  files: SourceFile[],
  judge: (file: SourceFile, specifier: string) => string | undefined,
): Breach[] {
  return files.flatMap((file) =>
    file.imports.flatMap((specifier) => {
      const reason = judge(file, specifier);
      return reason === undefined ? [] : [{ path: file.path, reason }];
    }),
  );
}

/** The import graph of the files that are not tests. */
export function createFileGraph(files: SourceFile[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const file of files.filter(({ path }) => !isTest(path))) {
    const targets = file.imports.map((specifier) => resolveImport(file.path, specifier));
    graph.set(file.path, new Set(targets.filter((target) => target !== undefined)));
  }
  return graph;
}

/** For every folder, the graph between its children: its folders, and each file directly in it. */
export function createFolderGraphs(files: SourceFile[]): Map<string, Map<string, Set<string>>> {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const [from, targets] of createFileGraph(files)) {
    for (const to of targets) addFolderEdge(graphs, from, to);
  }
  return graphs;
}

function addFolderEdge(graphs: Map<string, Map<string, Set<string>>>, from: string, to: string): void {
  const parent = sharedFolder(from, to);
  const [own = '', other = ''] = [from, to].map((path) => path.slice(parent.length + 1).split('/')[0]);
  const graph = graphs.get(parent) ?? new Map<string, Set<string>>();
  graphs.set(parent, graph);
  graph.set(own, (graph.get(own) ?? new Set()).add(other));
}

/** Folders with more files than `most`, tests not counted, as `folder: count`. */
export function findFullFolders(paths: readonly string[], most: number): string[] {
  const files = paths.filter((path) => /\.tsx?$/.test(path) && !isTest(path));
  return [...Map.groupBy(files, (path) => posix.dirname(path))]
    .filter(([, { length }]) => length > most)
    .map(([folder, { length }]) => `${folder}: ${length}`);
}

function sharedFolder(a: string, b: string): string {
  let folder = posix.dirname(a);
  while (!b.startsWith(`${folder}/`)) folder = posix.dirname(folder);
  return folder;
}

/** The first cycle found in a graph, as a path that ends where it began. */
export function findCycle(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (node: string): string[] | undefined => {
    if (done.has(node)) return undefined;
    const at = trail.indexOf(node);
    if (at !== -1) return [...trail.slice(at), node];
    trail.push(node);
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    trail.pop();
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node);
    if (cycle) return cycle;
  }
  return undefined;
}
