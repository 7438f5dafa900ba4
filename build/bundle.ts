import { type Metafile, type Plugin, build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import * as http from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** CommonJS packages expect these three names. */
const COMMONJS_NAMES = [
  "import { createRequire as $createRequire } from 'node:module';",
  "import { dirname as $dirname } from 'node:path';",
  "import { fileURLToPath as $fileURLToPath } from 'node:url';",
  'const require = $createRequire(import.meta.url);',
  'const __filename = $fileURLToPath(import.meta.url);',
  'const __dirname = $dirname(__filename);',
].join(' ');

/** Members of `node:http` that load Node's own undici, and names that a module cannot export. */
const OMITTED = new Set(['WebSocket', 'CloseEvent', 'MessageEvent', 'default', 'module.exports']);

/** Importing `node:http` as a module reads all its members, which loads Node's own undici: 70 ms of each start. */
const leanHttp: Plugin = {
  name: 'lean-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'http', namespace: 'lean' } : undefined,
    );
    const names = Object.keys(http).filter((name) => !OMITTED.has(name));
    const contents = `const http = process.getBuiltinModule('node:http');
      export default http;
      export const { ${names.join(', ')} } = http;`;
    onLoad({ filter: /^http$/, namespace: 'lean' }, () => ({ contents }));
  },
};

/** What the program uses of undici, by the modules that define it; the build fails at an import of anything else. */
const UNDICI = {
  Agent: 'dispatcher/agent',
  Pool: 'dispatcher/pool',
  Dispatcher: 'dispatcher/dispatcher',
  buildConnector: 'core/connect',
  errors: 'core/errors',
};

/** The package's own entry also loads `fetch`, WebSockets, caches and mocks: a tenth of each start. */
const leanUndici: Plugin = {
  name: 'lean-undici',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'undici', namespace: 'lean' } : undefined,
    );
    const lines = Object.entries(UNDICI).map(
      ([name, path]) => `import ${name} from 'undici/lib/${path}.js';`,
    );
    const contents = `${lines.join('\n')}
      import api from 'undici/lib/api/index.js';
      import { getGlobalDispatcher } from 'undici/lib/global.js';
      Object.assign(Dispatcher.prototype, api);
      export { ${Object.keys(UNDICI).join(', ')}, getGlobalDispatcher };`;
    const resolveDir = fileURLToPath(new URL('..', import.meta.url));
    onLoad({ filter: /^undici$/, namespace: 'lean' }, () => ({ contents, resolveDir }));
  },
};

const MODULE = /^(?:import|export)\b/m;

/** Of a CommonJS package that is imported on demand, esbuild exports no names, and not the `default` that Node does. */
const namedExports: Plugin = {
  name: 'named-exports',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[@\w]/, namespace: 'file' }, async ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const found = await resolve(path, { kind: 'import-statement', resolveDir });
      if (found.external || found.namespace !== 'file') return undefined;
      const isModule = MODULE.test(await readFile(found.path, 'utf8'));
      return isModule ? undefined : { path: found.path, namespace: 'named' };
    });
    onLoad({ filter: /./, namespace: 'named' }, async ({ path }) => {
      const names = Object.keys((await import(pathToFileURL(path).href)) as object);
      const exported = names.filter((name) => name !== 'default' && /^[\w$]+$/.test(name)).join(', ');
      const contents = `const all = require(${JSON.stringify(path)});
        export default all;
        export const { ${exported} } = all;`;
      return { contents, resolveDir: dirname(path) };
    });
  },
};

/**
 * Compiles the program and the packages it uses into a few files: a command loads a dozen instead of 1,400, and only the
 * used parts of each package are installed. The text stays readable for stack traces.
 */
export async function bundle(root: string, directory: string, main = 'src/main.ts'): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main, 'token-worker': 'src/pipeline/price/token-worker.ts' },
    entryNames: '[name]',
    chunkNames: 'chunk-[hash]',
    outdir: directory,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    keepNames: false, // it would name every closure again with each request
    legalComments: 'none', // THIRD-PARTY-LICENSES.md has every text
    external: ['pg-native'],
    plugins: [leanHttp, leanUndici, namedExports],
    banner: { js: COMMONJS_NAMES },
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}
