import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { ToolTally } from '#canonical';
import { overlayToolUsage } from './tool-uses.ts';

/** What is counted for an answer with two searches and a picture among its items. */
function count(response: JsonObject): Record<string, unknown> {
  const tally = new ToolTally();
  tally.add('web_search', { count: 2 });
  overlayToolUsage(tally, response);
  const counted: Record<string, number> = {};
  for (const { tool, kind = '', count: uses } of tally.uses ?? []) counted[`${tool}${kind}`] = uses;
  return counted;
}
const searches = { web_search: 2 };

test('the searches that OpenAI reports replace those of the items, if there are any', () => {
  assert.deepEqual(count({}), searches);
  assert.deepEqual(count({ tool_usage: { web_search: { num_requests: 5 } } }), { web_search: 5 });
  assert.deepEqual(count({ tool_usage: { web_search: { num_requests: 1 } } }), { web_search: 1 });
  assert.deepEqual(count({ tool_usage: { web_search: { num_requests: 0 } } }), searches);
});

test('the tokens of the image model are counted by their kind', () => {
  const used = (input: number, images: number, output: number) =>
    count({
      tool_usage: {
        image_gen: {
          input_tokens: input,
          input_tokens_details: { image_tokens: images },
          output_tokens: output,
        },
      },
    });
  const tokens = { 'image_tokens:text': 7, 'image_tokens:image': 3, 'image_tokens:output': 1 };
  assert.deepEqual(used(10, 3, 1), { ...searches, ...tokens });
  assert.deepEqual(used(10, 3, 0), searches, 'none was made');
  const { 'image_tokens:text': text, ...rest } = { 'image_tokens:text': 0, ...used(1, 3, 5) };
  assert.deepEqual([text, rest], [0, { ...searches, 'image_tokens:image': 3, 'image_tokens:output': 5 }]);
});

test('what xAI counts replaces the items: successful calls, and posts and users in place of searches of X', () => {
  const used = (details: JsonObject) => count({ usage: { server_side_tool_usage_details: details } });
  assert.deepEqual(used({ web_search_calls: 1, mcp_calls: 2 }), { web_search: 1, mcp: 2 });
  assert.deepEqual(used({ x_search_calls: 3 }), { x_searchcalls: 3 });
  assert.deepEqual(used({ x_search_calls: 3, x_posts_fetched: 4 }), { x_searchposts: 4 });
  assert.deepEqual(used({ x_search_calls: 3, x_users_fetched: 5 }), { x_searchusers: 5 });
});

test('absurd counts replace nothing', () => {
  assert.deepEqual(count({ tool_usage: { web_search: { num_requests: -1 } } }), searches);
  assert.deepEqual(
    count({ tool_usage: { web_search: { num_requests: 5 } }, usage: { output_tokens: -1 } }),
    searches,
  );
});
