import type { JsonValue } from '#base';
import type { ToolTally } from '#canonical';
import { cutName, isObject } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';

/** Members of items and blocks that record the use of a hosted tool. */
type UsedTool = Members<{
  type: string;
  name: string;
  status: string;
  container_id: string;
  environment: { container_id: string };
  action: { type: string };
  quality: string;
  size: string;
}>;

/** Items whose uses are charged once per container. */
const CONTAINER_CALLS: ReadonlySet<string> = new Set(['code_interpreter_call', 'shell_call']);
const CALL = /^(\w{1,60})_call$/;
/** Calls that the client answers, and tool search, which is free. */
const CLIENT_CALLS: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'apply_patch_call',
  'computer_call',
  'tool_search_call',
]);
/** The names of Anthropic's code execution by what it runs. */
const CODE_EXECUTION = /_code_execution$/;

/** Counts an item of a Responses answer that records the use of a hosted tool. */
export function tallyItem(tally: ToolTally, item: UsedTool): void {
  const { type } = item;
  if (typeof type !== 'string' || CLIENT_CALLS.has(type)) return;
  const tool = CALL.exec(type)?.[1];
  if (tool === undefined) return;
  if (CONTAINER_CALLS.has(type)) tally.add(tool, { id: findContainer(item) ?? '' });
  else if (tool === 'image_generation') tallyImage(tally, item);
  else if (tool !== 'web_search' || isSearch(item)) tally.add(tool);
}

function findContainer({ container_id: id, environment }: UsedTool): string | undefined {
  const own = isObject(environment) ? environment.container_id : id;
  return typeof own === 'string' ? own : undefined;
}

/** Only the request names the model, the first part of the variant. */
export function tallyImage(tally: ToolTally, { quality, size, status }: UsedTool): void {
  if (status === 'failed') return;
  tally.add('image_generation', { kind: `:${toWord(quality)}:${toWord(size)}` });
}

function toWord(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.slice(0, 40) : '';
}

/** Opening a search result is not another search. */
function isSearch({ action }: UsedTool): boolean {
  return !isObject(action) || action.type === undefined || action.type === 'search';
}

/** The tool that a Messages block of the type `server_tool_use` uses. */
function nameServerTool(name: string): string {
  return CODE_EXECUTION.test(name) ? 'code_execution' : name;
}

export function tallyServerTool(tally: ToolTally, { type, name }: UsedTool): void {
  if (type === 'server_tool_use' && typeof name === 'string') tally.add(nameServerTool(cutName(name)));
}
