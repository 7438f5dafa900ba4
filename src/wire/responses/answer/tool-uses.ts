import { type ToolTally, isBelievable, toCount } from '#canonical';
import { objectOf } from '../../body/read-answer.ts';
import { isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type { AnswerUsage, ReadAnswer } from './answer-schema.ts';

type XaiDetails = Members<AnswerUsage['server_side_tool_usage_details']>;

/** Replaces counts derived from items by those the provider reports: OpenAI in `tool_usage`, xAI in `usage`. */
export function overlayToolUsage(tally: ToolTally, response: ReadAnswer): void {
  const { tool_usage: used, usage } = response;
  if (!isBelievable(used) || !isBelievable(usage)) return;
  const { web_search: search, image_gen: image } = objectOf(used);
  const searches = toCount(objectOf(search).num_requests);
  if (searches > 0) tally.replace('web_search', [{ count: searches }]);
  if (isObject(image) && toCount(image.output_tokens) > 0) tallyImageTokens(tally, image);
  const { server_side_tool_usage_details: details } = objectOf(usage);
  if (isObject(details)) tallyXai(tally, details);
}

/** Tokens of the image model, which are exact where a price per image is not. */
function tallyImageTokens(tally: ToolTally, usage: AnswerUsage): void {
  const images = toCount(objectOf(usage.input_tokens_details).image_tokens);
  const input = toCount(usage.input_tokens);
  tally.replace('image_tokens', [
    { kind: ':text', count: Math.max(0, input - images) },
    { kind: ':image', count: images },
    { kind: ':output', count: toCount(usage.output_tokens) },
  ]);
}

/** Counts only successful calls, which are the ones charged; searches of X by the posts and users fetched. */
function tallyXai(tally: ToolTally, details: XaiDetails): void {
  for (const tool of ['web_search', 'code_interpreter', 'file_search', 'image_generation', 'mcp'] as const)
    tally.replace(tool, [{ count: toCount(details[`${tool}_calls`]) }]);
  const posts = toCount(details.x_posts_fetched);
  const users = toCount(details.x_users_fetched);
  const isFetched = posts + users > 0;
  tally.replace('x_search', [
    { kind: 'posts', count: posts },
    { kind: 'users', count: users },
    { kind: 'calls', count: isFetched ? 0 : toCount(details.x_search_calls) },
  ]);
}
