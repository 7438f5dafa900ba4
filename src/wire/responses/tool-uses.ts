import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { type ToolTally, isBelievable, toCount } from '#canonical';

const NONE: JsonObject = {};

/** Replaces counts derived from items by those the provider reports: OpenAI in `tool_usage`, xAI in `usage`. */
export function overlayToolUsage(tally: ToolTally, response: JsonObject): void {
  if (!isBelievable(response['tool_usage']) || !isBelievable(response['usage'])) return;
  const { web_search: search, image_gen: image } = objectOf(response['tool_usage']);
  const searches = toCount(objectOf(search)['num_requests']);
  if (searches > 0) tally.replace('web_search', [{ count: searches }]);
  if (isJsonObject(image) && toCount(image['output_tokens']) > 0) tallyImageTokens(tally, image);
  const details = objectOf(response['usage'])['server_side_tool_usage_details'];
  if (isJsonObject(details)) tallyXai(tally, details);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : NONE;
}

/** Tokens of the image model, which are exact where a price per image is not. */
function tallyImageTokens(tally: ToolTally, usage: JsonObject): void {
  const images = toCount(objectOf(usage['input_tokens_details'])['image_tokens']);
  const input = toCount(usage['input_tokens']);
  tally.replace('image_tokens', [
    { kind: ':text', count: Math.max(0, input - images) },
    { kind: ':image', count: images },
    { kind: ':output', count: toCount(usage['output_tokens']) },
  ]);
}

/** Counts only successful calls, which are the ones charged; searches of X by the posts and users fetched. */
function tallyXai(tally: ToolTally, details: JsonObject): void {
  for (const tool of ['web_search', 'code_interpreter', 'file_search', 'image_generation', 'mcp'])
    tally.replace(tool, [{ count: toCount(details[`${tool}_calls`]) }]);
  const posts = toCount(details['x_posts_fetched']);
  const users = toCount(details['x_users_fetched']);
  const isFetched = posts + users > 0;
  tally.replace('x_search', [
    { kind: 'posts', count: posts },
    { kind: 'users', count: users },
    { kind: 'calls', count: isFetched ? 0 : toCount(details['x_search_calls']) },
  ]);
}
