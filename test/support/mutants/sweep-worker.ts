import { readFileSync } from 'node:fs';
import { type RegisterHooksOptions, registerHooks, stripTypeScriptTypes } from 'node:module';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { useSharedServer } from '../shared-server.ts';
import type { SweepJob } from './sweep.ts';

/** Of the address of a module: the variant that it belongs to. */
const MARK = 'variant';

const { root, test, path, variants, affected } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
) as SweepJob;
const toUrl = (file: string): string => pathToFileURL(`${root}/${file}`).href;
const again = new Set(affected.map(toUrl));
const faulty = toUrl(path);

/** A module that the faulty file affects belongs to the variant of its importer. */
const resolve: RegisterHooksOptions['resolve'] = (specifier, context, next) => {
  const found = next(specifier, context);
  const variant = readVariant(context.parentURL ?? '');
  return variant !== null && again.has(found.url)
    ? { ...found, url: `${found.url}?${MARK}=${variant}` }
    : found;
};

const load: RegisterHooksOptions['load'] = (url, context, next) => {
  const text = variants[readVariant(url) ?? ''];
  if (text === undefined || url.split('?')[0] !== faulty) return next(url, context);
  return { format: 'module', source: stripTypeScriptTypes(text), shortCircuit: true };
};

function readVariant(url: string): string | null {
  return url.startsWith('file:') ? new URL(url).searchParams.get(MARK) : null;
}

registerHooks({ resolve, load });
after(useSharedServer());

for (const name of Object.keys(variants)) {
  suite(name, async () => {
    await import(`${toUrl(test)}?${MARK}=${name}`);
  });
}
