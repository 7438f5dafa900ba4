import { type JsonObject, isJsonObject, parseJsonObject } from '#base';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';

const WRAPPER = /^(?:multi_tool_use[._])?parallel$/;
const RECIPIENT = /^functions[._]/;

/** The arguments of such a call. */
interface Wrapper {
  tool_uses: { recipient_name: string; parameters: object }[];
}

/** One call inside a wrapper. */
interface WrappedCall {
  name: string;
  input: JsonObject;
}

/**
 * OpenAI's models sometimes call an undeclared tool named `parallel` (or `multi_tool_use.parallel`) that contains the
 * intended calls.
 */
export function isWrapper(name: string, tools: ReadonlySet<string>): boolean {
  return WRAPPER.test(name) && !tools.has(name);
}

/** The calls inside a wrapper; undefined unless all of them are of tools in the request. */
export function unwrapCalls(json: string, isTool: (name: string) => boolean): WrappedCall[] {
  const wrapper: Members<Wrapper> = parseJsonObject(json) ?? {};
  const calls = itemsOf(wrapper.tool_uses).map(readUse);
  return calls.every((call) => call !== undefined && isTool(call.name)) ? calls.filter((call) => !!call) : [];
}

function readUse(use: Unchecked<Wrapper['tool_uses'][number]>): WrappedCall | undefined {
  if (!isObject(use) || typeof use.recipient_name !== 'string') return undefined;
  const { recipient_name: recipient, parameters } = use;
  return { name: recipient.replace(RECIPIENT, ''), input: isJsonObject(parameters) ? parameters : {} };
}
