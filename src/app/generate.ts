import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isJsonObject } from '#base';
import { CatalogueError, renderSnapshot } from '#catalogue';
import { describeErrors } from '#errors';
import { ENDPOINTS, createOpenapi } from '#http';
import { catalogueDirectory, version } from './settings/package.ts';
import { createSettingsSchema } from './settings/schemas/settings-schema.ts';

/** Every generated file in the repository, by path. */
function createGeneratedFiles(): Record<string, string> {
  return {
    'catalogue/snapshot.json': renderSnapshot(catalogueDirectory),
    'docs/errors.md': describeErrors(),
    'docs/openapi.json': `${JSON.stringify(createOpenapi(ENDPOINTS, version), null, 2)}\n`,
    'docs/sluice.schema.json': `${JSON.stringify(createSettingsSchema(), acceptNumbers, 2)}\n`,
  };
}

/** Editors accept a number for a decimal, as the gateway does when it reads the file. */
function acceptNumbers(_key: string, schema: unknown): unknown {
  if (!isJsonObject(schema) || typeof schema['pattern'] !== 'string') return schema;
  const pattern = new RegExp(schema['pattern']);
  const isDecimal = pattern.test('0.5') && !pattern.test('abc');
  return isDecimal ? { ...schema, type: ['string', 'number'] } : schema;
}

const root = new URL('../../', import.meta.url);

/** Generated files that are out of date. */
export function findStaleFiles(): string[] {
  return Object.entries(createGeneratedFiles())
    .filter(([path, text]) => readText(path) !== text)
    .map(([path]) => path);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    for (const [path, text] of Object.entries(createGeneratedFiles()))
      writeFileSync(new URL(path, root), text);
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  }
}
