import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, string>;
}

interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, { 'timeout-minutes': number; permissions?: Record<string, string>; steps: Step[] }>;
}

function readWorkflow(name: string): Workflow {
  return parse(readFileSync(join(root, `.github/workflows/${name}.yml`), 'utf8')) as Workflow;
}

const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps }) => steps);

for (const name of ['ci', 'release']) {
  test(`the workflow ${name} may only read by default, ends in time, and runs scripts that exist`, () => {
    const workflow = readWorkflow(name);
    assert.deepEqual(workflow.permissions, { contents: 'read' });
    for (const job of Object.values(workflow.jobs)) assert.ok(job['timeout-minutes'] <= 90);
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const used = stepsOf(workflow).flatMap(({ run = '' }) => [
      ...run.matchAll(/npm (?:run )?(test|package)\b/g),
    ]);
    assert.ok(used.length > 0);
    for (const [, script = ''] of used) assert.ok(script in scripts, script);
    for (const { uses } of stepsOf(workflow))
      if (uses !== undefined) assert.match(uses, /^[\w-]+\/[\w-]+@v\d+$/);
    for (const { with: options } of stepsOf(workflow))
      if (options?.['file'] !== undefined) assert.equal(globSync(options['file'], { cwd: root }).length, 1);
  });
}

test('a release has the package, an SBOM and checksums, and provenance for the package and the image', () => {
  const steps = stepsOf(readWorkflow('release'));
  const upload = steps.find(({ run }) => run?.startsWith('gh release create'))?.run ?? '';
  for (const file of ['sluice-*.tgz', 'sluice.cdx.json', 'SHA256SUMS'])
    assert.ok(upload.includes(file), file);
  const attested = steps.filter(({ uses }) => uses?.startsWith('actions/attest-') === true);
  assert.deepEqual(
    attested.map(({ uses, with: options }) => [uses?.split('@')[0], options?.['subject-path'] ?? 'image']),
    [
      ['actions/attest-build-provenance', 'sluice-*.tgz'],
      ['actions/attest-sbom', 'sluice-*.tgz'],
      ['actions/attest-build-provenance', 'image'],
    ],
  );
});
