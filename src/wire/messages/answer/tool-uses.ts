import { ToolTally, type ToolUse, isBelievable, toCount } from '#canonical';
import type { MessagesAnswer, MessagesUsage } from './answer-schema.ts';
import { isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';

const REQUESTS = /^(\w{1,60})_requests$/;

/** The hosted tools an answer used, as `usage.server_tool_use` counts them, and its container. */
export function findToolUses(
  usage: Members<MessagesUsage> | undefined,
  leftovers: Members<MessagesAnswer>,
): ToolUse[] | undefined {
  const counts = isBelievable(usage) ? usage?.server_tool_use : undefined;
  const hasContainer = isObject(leftovers.container);
  if (!isObject(counts) && !hasContainer) return undefined;
  const tally = new ToolTally();
  for (const [name, count] of Object.entries(isObject(counts) ? counts : {})) {
    const tool = REQUESTS.exec(name)?.[1];
    if (tool !== undefined) tally.add(tool, { count: toCount(count) });
  }
  // Files loaded into the container are charged even if no code ran.
  if (hasContainer && !tally.uses?.some(({ tool }) => tool === 'code_execution')) tally.add('code_execution');
  return tally.uses;
}
