import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCatalogue } from './build/load-catalogue.ts';
import { resolveModel } from './names/resolve-model.ts';

const catalogue = await loadCatalogue(fileURLToPath(new URL('../../catalogue', import.meta.url)));

/** Dates and models of https://developers.openai.com/api/docs/deprecations (read 2026-11-26). */
const SHUT_DOWN: Readonly<Record<string, string>> = {
  '2026-07-23':
    'gpt-5-chat-latest gpt-5-codex gpt-5.1-chat-latest gpt-5.1-codex gpt-5.1-codex-max gpt-5.1-codex-mini gpt-5.2-codex',
  '2026-08-10': 'gpt-5.2-chat-latest gpt-5.3-chat-latest',
  '2026-10-23':
    'gpt-3.5-turbo gpt-4 gpt-4-turbo gpt-4.1-nano gpt-4o-2024-05-13 gpt-image-1 o1 o1-pro o3-mini o4-mini',
  '2026-12-01': 'gpt-image-1-mini gpt-image-1.5',
  '2026-12-11': 'gpt-5 gpt-5-mini gpt-5-nano gpt-5-pro o3 o3-pro',
  '2027-01-14': 'gpt-4.1 gpt-4.1-mini gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini',
  '2027-04-01': 'gpt-5.1 gpt-5.3-codex gpt-5.4-nano',
};

test('models that OpenAI shuts down are refused there from that day on, with a successor', () => {
  for (const [since, models] of Object.entries(SHUT_DOWN)) {
    for (const model of models.split(' ')) {
      const resolve = (now: number) => resolveModel(catalogue, `openai/${model}`, now);
      assert.equal(resolve(Date.parse(since) - 1).kind, 'found', model);
      const resolution = resolve(Date.parse(since));
      assert.ok(resolution.kind === 'deactivated' && resolution.since === since, model);
      assert.notEqual(resolution.successor, undefined, model);
    }
  }
});
