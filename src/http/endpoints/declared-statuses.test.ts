import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { Endpoint } from '../endpoint.ts';
import { createReportEndpoints } from '../report-endpoints.ts';
import { createResourceEndpoints } from '../resource-endpoints.ts';
import { ENDPOINTS } from './index.ts';

/** Tests shared by several endpoints, by the call that registers them. */
const SHARED = {
  'proveRefusals({': new URL('../../../test/support/generation-refusals.ts', import.meta.url),
  'proveOpenaiRefusals({': new URL('../../../test/support/openai-refusals.ts', import.meta.url),
  'proveKeyRefusals({': new URL('../../../test/support/key-refusals.ts', import.meta.url),
  'proveCounts({': new URL('../../../test/support/count-refusals.ts', import.meta.url),
  'proveVideoRefusals(': new URL('../../../test/support/video-gateway.ts', import.meta.url),
  'proveResponseRefusals(': new URL('../../../test/support/stored-responses.ts', import.meta.url),
  'proveContent(': new URL('../../../test/support/video-content.ts', import.meta.url),
};
const folder = new URL('gateway/', import.meta.url);
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** A literal test name at the start of a line of code: what a test promises must be readable there. */
const TEST_NAME = /^\s*test\((['"`])(.*?)\1,/gm;

interface Proven {
  name: string;
  endpoint: Endpoint;
  /** The status each test of the folder begins with; `undefined` for a name without one. */
  statuses: (number | undefined)[];
}

async function readFolder(name: string): Promise<Proven> {
  const module = (await import(new URL(`${name}/endpoint.ts`, folder).href)) as Record<string, unknown>;
  const endpoint = ENDPOINTS.find((listed) => Object.values(module).includes(listed));
  assert.ok(endpoint, `gateway/${name} holds no endpoint that is listed in endpoints/index.ts`);
  return { name, endpoint, statuses: readStatuses(name) };
}

function readStatuses(name: string): (number | undefined)[] {
  const file = new URL(`${name}/endpoint.test.ts`, folder);
  assert.ok(existsSync(file), `gateway/${name} has no endpoint.test.ts`);
  return [...readTests(file).matchAll(TEST_NAME)].map(([, , title = '']) => {
    const status = /^(\d{3}): \S/.exec(title)?.[1];
    return status === undefined ? undefined : Number(status);
  });
}

/** The tests of a file with the shared ones it registers, recursively. */
function readTests(file: URL): string {
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n').map((line) => line.trimStart());
  const shared = Object.entries(SHARED).filter(([call]) => lines.some((line) => line.startsWith(call)));
  return text + shared.map(([, place]) => readTests(place)).join('');
}

const isAdministration = ({ auth, path }: Endpoint): boolean =>
  auth === 'admin' && path.startsWith('/admin/');
const folders = await Promise.all(names.map(readFolder));

test('every listed endpoint has its own folder', () => {
  assert.equal(new Set(folders.map(({ endpoint }) => endpoint)).size, names.length);
  const listed = ENDPOINTS.filter((endpoint) => !isAdministration(endpoint));
  assert.equal(names.length, listed.length);
});

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

/** Their statuses are tested for all of them together, in admin/battery.test.ts. */
test('every admin endpoint belongs to a resource or a report, or is listed and has its own folder', async () => {
  const admin = new URL('admin/', import.meta.url);
  const inside = readdirSync(admin, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const modules = await Promise.all(
    inside.map((entry) => import(new URL(`${entry.name}/endpoint.ts`, admin).href) as Promise<object>),
  );
  const held = modules.flatMap((module) => Object.values(module) as Endpoint[]).map(nameOf);
  const generated = [...createResourceEndpoints(), ...createReportEndpoints()].map(nameOf);
  const listed = ENDPOINTS.filter(isAdministration).map(nameOf);
  assert.deepEqual(
    held.concat(generated).sort(),
    listed.sort(),
    'the folders of admin/ hold what endpoints/admin/index.ts lists, and nothing else',
  );
});

test('every endpoint that identifies its caller declares what every such endpoint may answer', () => {
  for (const { name, endpoint } of folders) {
    if (endpoint.auth === 'none') continue;
    const missing = [401, 403, 500, 503].filter((status) => !endpoint.responses[status]);
    assert.deepEqual(missing, [], `gateway/${name} does not declare these statuses`);
  }
});

for (const { name, endpoint, statuses } of folders) {
  test(`${endpoint.method} ${endpoint.path}: each declared status has a test, and no other status does`, () => {
    assert.ok(
      statuses.every((status) => status !== undefined),
      `a test of gateway/${name} is not named “<status>: <what it promises>”`,
    );
    assert.deepEqual(
      [...new Set(statuses)].sort(),
      Object.keys(endpoint.responses).map(Number).sort(),
      `the statuses of the tests of gateway/${name} are not the statuses that its endpoint.ts declares`,
    );
  });
}
