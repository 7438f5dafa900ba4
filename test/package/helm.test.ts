import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { loadSettings } from '#app';
import { createTemporaryFolder } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const CHART = 'deploy/helm/sluice';
const HELM = process.env['HELM_BIN'] ?? 'helm';
const WITH_HELM =
  'UPDATE_GOLDEN=1 HELM_BIN=<helm> npm test -- --only package/helm renders the chart again; read the difference';

/** A rendering of the chart: its values, and the file that has the result. */
const CASES = [
  { name: 'the defaults', values: [], file: 'test/package/helm/defaults.yaml' },
  {
    name: 'every value',
    values: ['--values', 'test/package/helm/everything.values.yaml'],
    file: 'test/package/helm/everything.yaml',
  },
];

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: PodOwner;
}

interface PodOwner {
  selector?: { matchLabels: Record<string, string> };
  template?: { metadata: { labels: Record<string, string> }; spec: PodSpec };
}

interface PodSpec {
  terminationGracePeriodSeconds: number;
  securityContext: { runAsNonRoot: boolean; runAsUser: number };
  containers: { env: { name: string; value?: string }[]; volumeMounts: { mountPath: string }[] }[];
}

/** What the schemas of Kubernetes are compiled to. */
type KubernetesModel = new (manifest: object) => { validate(): void };

/** A part of the schema of the values. */
interface ValuesSchema {
  properties?: Record<string, ValuesSchema>;
  additionalProperties?: boolean | object;
}

/** The sources of a rendering: a change of one makes it outdated. */
function fingerprint(): string {
  const hash = createHash('sha256');
  const files = [...globSync(`${CHART}/**/*.*`, { cwd: root }), 'test/package/helm/everything.values.yaml'];
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function findHelm(): boolean {
  return spawnSync(HELM, ['version', '--short']).status === 0;
}

function runHelm(values: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const args = ['template', 'sluice', CHART, '--kube-version', '1.32.0', ...values];
  return spawnSync(HELM, args, { cwd: root, encoding: 'utf8' });
}

function render(values: readonly string[]): string {
  const { status, stdout, stderr } = runHelm(values);
  assert.equal(status, 0, stderr);
  return `# ${fingerprint()}\n${stdout}`;
}

const readText = (file: string): string => readFileSync(join(root, file), 'utf8');

function readManifests(file: string): Manifest[] {
  return parseAllDocuments(readText(file))
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

for (const { name, values, file } of CASES) {
  test(`the chart rendered with ${name} is the one that is checked here`, (t) => {
    const hasHelm = findHelm();
    if (isUpdate && hasHelm) writeFileSync(join(root, file), render(values));
    assert.equal(readText(file).split('\n')[0], `# ${fingerprint()}`, WITH_HELM);
    if (hasHelm) assert.equal(render(values), readText(file), WITH_HELM);
    else t.diagnostic('there is no helm here: only the stored rendering is checked');
  });

  test(`each manifest of ${name} agrees with the schema of Kubernetes`, async () => {
    const manifests = readManifests(file);
    assert.ok(manifests.length >= 6);
    for (const manifest of manifests) {
      const path = `kubernetes-models/${manifest.apiVersion}/${manifest.kind}`;
      const models = (await import(path)) as Record<string, KubernetesModel>;
      const Model = models[manifest.kind];
      assert.ok(Model, manifest.kind);
      assert.doesNotThrow(() => new Model(manifest).validate(), `${manifest.kind} ${manifest.metadata.name}`);
    }
  });

  test(`with ${name}, pods get the time to drain that their gateway takes, and secrets by reference alone`, async () => {
    const manifests = readManifests(file);
    assert.ok(!manifests.some(({ kind }) => kind === 'Secret'));
    const { spec } = manifests.find(({ kind }) => kind === 'StatefulSet') ?? {};
    const pod = spec?.template?.spec;
    const [container] = pod?.containers ?? [];
    assert.ok(pod && container);
    assert.deepEqual(
      { ...spec.template?.metadata.labels, ...spec.selector?.matchLabels },
      spec.template?.metadata.labels,
    );
    assert.ok(pod.securityContext.runAsNonRoot && pod.securityContext.runAsUser === 1000);
    for (const { name: variable, value = '' } of container.env) {
      if (variable.endsWith('_FILE')) assert.match(value, /^\/app\/secrets\//);
      else assert.match(variable, /^SLUICE_(?:CONFIG|METRICS_PORT|METRICS_HOST)$/);
    }
    using folder = createTemporaryFolder();
    const config = manifests.find(({ kind }) => kind === 'ConfigMap')?.data?.['sluice.yaml'] ?? '';
    folder.write('sluice.yaml', config);
    const { drainMs, readyDelayMs } = await loadSettings({ environment: {}, workingDirectory: folder.path });
    const chosen = parse(readText(values[1] ?? `${CHART}/values.yaml`)) as Record<string, number>;
    assert.deepEqual(
      [drainMs, readyDelayMs],
      [chosen['drainSeconds']! * 1_000, chosen['readyDelaySeconds']! * 1_000],
    );
    assert.ok(pod.terminationGracePeriodSeconds * 1_000 > drainMs + readyDelayMs);
  });
}

test('the chart’s version and its times to drain are those of Sluice', async () => {
  const chart = parse(readText(`${CHART}/Chart.yaml`)) as { version: string; appVersion: string };
  const { version } = JSON.parse(readText('package.json')) as { version: string };
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
  const values = parse(readText(`${CHART}/values.yaml`)) as Record<string, number>;
  const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
  const { drainMs, readyDelayMs } = await loadSettings({ environment, workingDirectory: '/' });
  assert.equal(values['drainSeconds']! * 1_000, drainMs);
  assert.equal(values['readyDelaySeconds']! * 1_000, readyDelayMs);
});

/** Asserts that a schema that refuses unknown values has those of the chart and no others. */
function assertNames(schema: ValuesSchema, values: Record<string, unknown>, path: string): void {
  if (schema.additionalProperties !== false) return;
  const { global: _, ...properties } = schema.properties ?? {};
  assert.deepEqual(Object.keys(properties), Object.keys(values), path);
  for (const [name, part] of Object.entries(properties))
    assertNames(part, values[name] as Record<string, unknown>, `${path}.${name}`);
}

test('the schema of the chart’s values has exactly the values of values.yaml', () => {
  const schema = JSON.parse(readText(`${CHART}/values.schema.json`)) as ValuesSchema;
  assert.equal(schema.additionalProperties, false);
  assertNames(schema, parse(readText(`${CHART}/values.yaml`)) as Record<string, unknown>, 'values');
});

/** Values that a user may well write, and what Helm says about them. */
const REFUSALS: [values: string, reason: RegExp][] = [
  ['secrets: { OPENAI_API_KEY: sk-123 }', /secrets\W+OPENAI_API_KEY.*object/s],
  ['secrets: { OPENAI_API_KEY: { secret: providers } }', /secrets\W+OPENAI_API_KEY.*key/s],
  ['image: { tag: 20261128 }', /image\W+tag.*string/s],
  ['config: "providers: []"', /config.*object/s],
  ['autoscalling: { enabled: true }', /autoscalling.*not allowed/s],
];

test('a value that Kubernetes or the gateway could not use is refused by its name', (t) => {
  if (!findHelm()) {
    t.skip('there is no helm here');
    return;
  }
  using folder = createTemporaryFolder();
  for (const [values, reason] of REFUSALS) {
    folder.write('values.yaml', values);
    const { status, stderr } = runHelm(['--values', join(folder.path, 'values.yaml')]);
    assert.notEqual(status, 0, values);
    assert.match(stderr, reason);
  }
});

test('a config of which every entry is commented out renders as none', (t) => {
  if (!findHelm()) {
    t.skip('there is no helm here');
    return;
  }
  using folder = createTemporaryFolder();
  folder.write('values.yaml', 'config:\n  # providers: []\n');
  const values = ['--values', join(folder.path, 'values.yaml')];
  assert.equal(render(values), render([]));
});
