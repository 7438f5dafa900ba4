import type { JsonObject } from '#base';
import { CLIENT_FORMATS, type ClientFormatId } from '#canonical';
import { type Asked, chat, gemini, messages, responses } from './tool-rows.ts';

export const FORMATS = CLIENT_FORMATS;
export const FUNCTION = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } };
export const WEB_SEARCH = { type: 'web_search' };
export const CLAUDE_SEARCH = { type: 'web_search_20250305', name: 'web_search' };

/** For each format a provider without tool prices, and one of Responses with prices of its own. */
export function configure(baseUrl: string): string {
  const model = (id: string, input: string) =>
    `{ id: ${id}, price: { input: "${input}", output: "10" }, contextLength: 100000, maxOutput: 1000 }`;
  const poor = FORMATS.map(
    (format) =>
      `  - { id: poor-${format}, format: ${format}, baseUrl: "${baseUrl}", apiKey: k1, models: [${model(`m-${format}`, '1')}] }\n`,
  );
  const known = ['openai', 'anthropic'].map((id) => `  - { id: ${id}, baseUrl: "${baseUrl}", apiKey: k2 }\n`);
  return `providers:
${[...poor, ...known].join('')}  - { id: cheap, format: responses, baseUrl: "${baseUrl}", apiKey: k3, models: [${model('m-both', '1')}] }
  - id: priced
    format: responses
    baseUrl: "${baseUrl}"
    apiKey: k4
    hostedTools:
      - { tool: web_search, per: call, usd: "0.002" }
      - { tool: code_interpreter, refused: "no code runs here" }
    models:
      - ${model('m-both', '2')}
  - id: google
    baseUrl: "${baseUrl}"
    apiKey: k5
    hostedTools: [{ tool: google_search, models: ["gemini-3*"], per: call, usd: "0.001" }]
`;
}

/** A Messages conversation that adds a tool. */
export function bringIn(tool: JsonObject): Asked {
  const addition = { type: 'tool_addition', tool: { type: 'tool_definition', definition: tool } };
  const asked = messages([]);
  const [said] = asked.body['messages'] as [JsonObject];
  const content = [{ type: 'text', text: said['content'] as string }, addition];
  return { ...asked, body: { ...asked.body, messages: [{ role: 'user', content }] } };
}

/** The same in Responses, beside a tool of the client's own. */
export function addItem(tool: JsonObject, type = 'additional_tools'): Asked {
  const { path, body } = responses([FUNCTION]);
  const said = { type: 'message', role: 'user', content: body['input'] as string };
  const item = { type, ...(type === 'tool_search_output' && { call_id: 'c1' }), tools: [tool] };
  return { path, body: { ...body, input: [said, item] } };
}

export function of(model: string, { path, body }: Asked): Asked {
  return { path, body: { ...body, model } };
}

/** The request, the tool named in the refusal, and the field at fault. */
export const REFUSED: Record<string, [ClientFormatId, Asked, named: string, param: string]> = {
  'a search of Responses': ['responses', of('m-responses', responses([WEB_SEARCH])), 'web_search', 'tools'],
  'a search that the choice of a tool forces': [
    'responses',
    of('m-responses', responses([FUNCTION, WEB_SEARCH], { tool_choice: WEB_SEARCH })),
    'web_search',
    'tools',
  ],
  'code of Responses': [
    'responses',
    of('m-responses', responses([FUNCTION, { type: 'code_interpreter', container: { type: 'auto' } }])),
    'code_interpreter',
    'tools',
  ],
  'a container of a size that has no price': [
    'responses',
    responses([{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '128g' } }]),
    'code_interpreter (128g)',
    'tools',
  ],
  'a tool of another provider': ['responses', responses([{ type: 'x_search' }]), 'x_search', 'tools'],
  'a search of Chat': [
    'chat',
    of('m-chat', chat('', { web_search_options: {} })),
    'web_search_options',
    'web_search_options',
  ],
  'a search of Chat that Responses is sent': [
    'chat',
    chat('m-responses', { web_search_options: {} }),
    'web_search',
    'web_search_options',
  ],
  'a search of Messages': ['messages', of('m-messages', messages([CLAUDE_SEARCH])), 'web_search', 'tools'],
  'a search of Messages that Gemini is sent': [
    'messages',
    of('m-gemini', messages([CLAUDE_SEARCH])),
    'google_search',
    'tools',
  ],
  'code of Messages': [
    'messages',
    of('m-messages', messages([{ type: 'code_execution_20250825', name: 'code_execution' }])),
    'code_execution',
    'tools',
  ],
  'a search of Gemini': ['gemini', gemini('m-gemini', 'googleSearch'), 'google_search', 'tools'],
  'maps of Gemini': ['gemini', gemini('m-gemini', 'googleMaps'), 'google_maps', 'tools'],
  'a search that a Messages conversation brings in': [
    'messages',
    of('m-messages', bringIn(CLAUDE_SEARCH)),
    'web_search',
    'messages',
  ],
  'a search that an item of Responses brings in': [
    'responses',
    of('m-responses', addItem(WEB_SEARCH)),
    'web_search',
    'input',
  ],
  'a search that a search of tools found': [
    'responses',
    of('m-responses', addItem(WEB_SEARCH, 'tool_search_output')),
    'web_search',
    'input',
  ],
};
