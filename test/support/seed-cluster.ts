import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRandomText } from '#base';
import { migrate, readMigrations, startEmbeddedServer } from '#storage';
import { openPatiently } from './open-patiently.ts';
import { silentLog } from '#telemetry';
import { createTemporaryFolder } from './temporary.ts';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
/** Increase it when earlier clusters are no longer usable. */
const LAYOUT = 3;
const PARTS = ['postgres', 'postgres.password'];

/**
 * Copies a migrated, empty cluster into a data directory; the template is created once, because creating one takes a
 * second of processor time and tests need hundreds. Tests of the first start do not use it.
 */
export async function seedCluster(dataDirectory: string): Promise<void> {
  const template = await openTemplate();
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  copy(template, dataDirectory);
}

function copy(from: string, to: string): void {
  const parts = PARTS.map((part) => join(from, part));
  execFileSync('cp', ['-a', ...parts, to]);
}

async function openTemplate(): Promise<string> {
  const migrations = await readMigrations();
  const text = migrations.map(({ sql }) => sql).join();
  const name = `cluster-${createHash('sha256').update(text).digest('hex').slice(0, 12)}-${String(process.getuid?.())}-${LAYOUT}`;
  const template = join(CACHE, name);
  if (existsSync(template)) return template;
  using made = createTemporaryFolder('sluice-template-');
  const server = await startEmbeddedServer({ directory: made.path, log: silentLog });
  const database = openPatiently({ connection: server.connection, applicationName: 'sluice test' });
  await migrate(database, migrations);
  await database.close();
  await server.stop();
  keep(made.path, template);
  return template;
}

/** Atomic, so that an unfinished template is never copied; of several concurrent ones, one is kept. */
function keep(from: string, template: string): void {
  const draft = join(CACHE, `${basename(template)}.${createRandomText(6)}`);
  mkdirSync(draft, { recursive: true });
  copy(from, draft);
  try {
    renameSync(draft, template);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
}
