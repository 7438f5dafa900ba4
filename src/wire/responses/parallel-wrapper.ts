import { type JsonObject, type JsonValue, isJsonObject, parseJsonObject } from '#base';

const WRAPPER = /^(?:multi_tool_use[._])?parallel$/;
const RECIPIENT = /^functions[._]/;

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
  const uses = parseJsonObject(json)?.['tool_uses'];
  if (!Array.isArray(uses)) return [];
  const calls = uses.map(readUse);
  return calls.every((call) => call !== undefined && isTool(call.name)) ? calls.filter((call) => !!call) : [];
}

function readUse(use: JsonValue): WrappedCall | undefined {
  if (!isJsonObject(use) || typeof use['recipient_name'] !== 'string') return undefined;
  const { parameters } = use;
  return {
    name: use['recipient_name'].replace(RECIPIENT, ''),
    input: isJsonObject(parameters) ? parameters : {},
  };
}
