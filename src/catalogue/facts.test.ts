import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseJson } from '#base';

const read = (path: string): unknown => parseJson(readFileSync(path, 'utf8'));
const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const FACTS = root('../shared/catalog/facts.json');
const skip = existsSync(FACTS) ? false : 'the facts are not beside this checkout (../shared/catalog)';

interface Facts {
  [provider: string]: { models: Record<string, { cost?: Record<string, number> }> } | undefined;
}
interface Snapshot {
  models: {
    id: string;
    mappings: { provider: string; externalId: string; price?: Record<string, string> }[];
  }[];
}

const FIELDS = [
  ['input', 'input'],
  ['output', 'output'],
  ['cache_read', 'cacheRead'],
  ['cache_write', 'cacheWrite5m'],
] as const;

/** Where the facts are not followed, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'anthropic/claude-3-sonnet cacheRead': 'the model has no prompt caching',
  'anthropic/claude-3-sonnet cacheWrite5m': 'the model has no prompt caching',
  'azure/gpt-image-1.5 output':
    'text that is written costs less than images, which have a price of their own',
  'openai/gpt-3.5-turbo cacheRead': 'the model has no prompt caching',
  'novita-ai/mimo-v2-flash cacheRead': 'no provider charges more for reading a cache than for reading anew',
  'minimax/minimax-m2.1 cacheRead': 'the facts have none',
  'minimax/minimax-m2.1 cacheWrite5m': 'the facts have none',
  'togetherai/qwen3.5-397b-a17b cacheRead': 'the facts have none',
  'togetherai/qwen3.7-max cacheRead': 'the facts have none',
};

test('prices of text and of caches are those of the facts, but for a few with a reason', { skip }, () => {
  const facts = read(FACTS) as Facts;
  const { models } = read(root('catalogue/snapshot.json')) as Snapshot;
  const differing = models.flatMap(({ id, mappings }) =>
    mappings.flatMap(({ provider, externalId, price }) => {
      const cost = facts[provider]?.models[externalId]?.cost;
      if (!cost || !price) return [];
      return FIELDS.filter(([fact, part]) => {
        const ours = price[part];
        const reported = cost[fact];
        return reported === undefined || ours === undefined
          ? reported !== ours
          : Math.abs(reported - Number(ours)) > 1e-6;
      }).map(([, part]) => `${provider}/${id} ${part}`);
    }),
  );
  assert.deepEqual(differing.sort(), Object.keys(EXCEPTIONS).sort());
});
