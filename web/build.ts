import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

/** Builds the dashboard to `web/dist/`, with compressed copies beside the files. */
const root = fileURLToPath(new URL('.', import.meta.url));
/** Takes the place of `dist` once it is complete: a gateway that starts meanwhile reads the files. */
const target = join(root, `.dist-${process.pid}`);
/** Higher ones take seconds for a hundredth of the size. */
const BROTLI_QUALITY = 9;

await build({
  root,
  base: './', // works behind any path prefix
  configFile: false,
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: target,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'LICENSES.md' },
  },
});

const assets = join(target, 'assets');
let total = 0;
for (const name of readdirSync(assets)) {
  const path = join(assets, name);
  const bytes = readFileSync(path);
  total += bytes.length;
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  for (const [suffix, packed] of [
    ['.br', brotliCompressSync(bytes, { params })],
    ['.gz', gzipSync(bytes, { level: 9 })],
  ] as const)
    if (packed.length < bytes.length) writeFileSync(path + suffix, packed);
}
const dist = join(root, 'dist');
const before = `${target}-before`;
if (existsSync(dist)) renameSync(dist, before);
renameSync(target, dist);
rmSync(before, { recursive: true, force: true });
console.log(`built the dashboard in web/dist/ (${Math.round(total / 1_024)} KiB before compression)`);
