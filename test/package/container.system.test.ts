import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { loadSettings } from '#app';
import { parseJsonObject } from '#base';
import { openDatabaseLine } from '../support/database-line.ts';
import { type BuiltImage, buildImage } from '../support/dockerfile.ts';
import { needsRoot } from '../support/embedded-server.ts';
import { own } from '../support/owned.ts';
import { createEnvironment } from '../support/process-environment.ts';
import { createSharedDatabase } from '../support/shared-server.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const DOCKERFILE = 'deploy/container/Dockerfile';

/** A service of `compose.yaml`. */
interface Service {
  volumes?: string[];
  build?: { dockerfile: string };
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
  stop_grace_period?: string;
  tmpfs?: string[];
}

/** Folders that the images of the stores declare as volumes. */
const IMAGE_VOLUMES = { postgres: '/var/lib/postgresql', valkey: '/data' };

/** The first line of what an image runs. Root owns all but the volumes: to the image's user its root is read-only. */
async function startImage(
  image: BuiltImage,
  environment: Record<string, string>,
): Promise<[ChildProcess, string]> {
  const [, ...args] = [...image.entrypoint, ...image.command, '--json'];
  const child = own(
    spawn(process.execPath, args, {
      cwd: image.workingDirectory,
      env: createEnvironment({ ...image.environment, ...environment }),
      ...image.user,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const failed = once(child, 'exit').then(([code]) => assert.fail(`it left with ${String(code)}`));
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text));
  return [child, await Promise.race([line, failed])];
}

test(
  'the steps of the Dockerfile give an image that answers, as an ordinary user on a read-only root',
  { skip: needsRoot },
  async () => {
    using folder = createTemporaryFolder('sluice-image-');
    const image = buildImage(DOCKERFILE, folder.path);
    const [data = ''] = image.volumes;
    assert.equal(join(image.path, image.environment['SLUICE_DATA_DIR'] ?? ''), data);
    const cache = join(image.workingDirectory, 'node_modules/.cache/sluice');
    assert.notDeepEqual(readdirSync(cache), [], 'the compiled code');
    const command = spawnSync('sluice', ['version'], { env: image.environment, encoding: 'utf8' });
    assert.match(command.stdout, /^sluice \d/, 'the command on the path of the image');

    await using database = await createSharedDatabase();
    const { host, port: number, user, password, database: name } = database.connection;
    await using line = await openDatabaseLine(join(host, `.s.PGSQL.${number}`));
    const [gateway, text] = await startImage(image, {
      SLUICE_DATA_DIR: data,
      SLUICE_PORT: '0',
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${line.port}/${name}`,
    });
    const { url = '', api_key: apiKey = '' } = parseJsonObject(text) as { url?: string; api_key?: string };
    const { port } = new URL(url);
    const probe = async (): Promise<number | null> => {
      const [, ...words] = image.healthCheck;
      const child = spawn(process.execPath, words, { env: { SLUICE_PORT: port }, ...image.user });
      await once(child, 'exit');
      return child.exitCode;
    };
    assert.equal(await probe(), 0);
    const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'local/echo', messages: [{ role: 'user', content: 'hello' }] }),
    });
    assert.equal(response.status, 200, await response.text());
    gateway.kill('SIGTERM');
    const [code] = (await once(gateway, 'exit')) as [number];
    assert.equal(code, 0);
    assert.equal(await probe(), 1);
  },
);

test('compose.yaml keeps the data of the image, waits for the stores, and lets open answers finish', async () => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const { services, volumes } = parse(read('compose.yaml')) as {
    services: Record<string, Service>;
    volumes: Record<string, null>;
  };
  const { sluice } = services;
  assert.ok(sluice);
  const [volume = '', place] = sluice.volumes?.[0]?.split(':') ?? [];
  assert.ok(volume in volumes);
  assert.match(read(sluice.build?.dockerfile ?? ''), new RegExp(`^VOLUME ${place}$`, 'm'));
  for (const [name, { condition }] of Object.entries(sluice.depends_on ?? {})) {
    assert.equal(condition, 'service_healthy');
    assert.ok(services[name]?.healthcheck, name);
  }
  const { drainMs, readyDelayMs } = await loadSettings({ environment: {}, workingDirectory: '/' });
  assert.ok(Number.parseInt(sluice.stop_grace_period ?? '', 10) * 1_000 > drainMs + readyDelayMs);
});

test('no service of compose.yaml leaves a volume without a name behind', () => {
  const { services } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8')) as {
    services: Record<string, Service>;
  };
  for (const [name, folder] of Object.entries(IMAGE_VOLUMES)) {
    const { volumes = [], tmpfs = [] } = services[name] ?? {};
    assert.ok(tmpfs.includes(folder) || volumes.some((volume) => volume.endsWith(`:${folder}`)), name);
  }
});

test('an image built by a container runtime starts', (t) => {
  const { status, stderr, error } = spawnSync('docker', ['version'], { encoding: 'utf8' });
  if (status !== 0) {
    t.skip(`there is no container runtime here: ${error?.message ?? stderr.trim()}`);
    return;
  }
  const built = spawnSync('docker', ['build', '--quiet', '-f', DOCKERFILE, '.'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(built.status, 0, built.stderr);
  const image = built.stdout.trim();
  const ran = spawnSync('docker', ['run', '--rm', '--read-only', image, 'version'], { encoding: 'utf8' });
  assert.match(ran.stdout, /^sluice \d/);
});
