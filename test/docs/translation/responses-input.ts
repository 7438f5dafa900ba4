import type { JsonObject } from '#base';
import type { Samples } from './samples.ts';

const user = (...content: JsonObject[]): JsonObject => ({ type: 'message', role: 'user', content });
const said = (text: string): JsonObject => ({ type: 'input_text', text });
const ask = user(said('Hello.'));
const hi = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] };
const call = { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Rom"}' };
const out = (output: string | JsonObject[]): JsonObject => ({
  type: 'function_call_output',
  call_id: 'call_1',
  output,
});
const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } };
const look = { input: [user(said('Look.'))] };
const look2 = (p: JsonObject): JsonObject => ({ input: [user(said('Look.'), p)] });
const item = (i: JsonObject): JsonObject => ({ input: [ask, i, hi, ask] });
const none = { input: [ask, hi, ask] };

const WEATHER = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
};
const MCP = { type: 'namespace', name: 'mcp', tools: [{ type: 'custom', name: 'patch' }] };
const SEARCH = { type: 'tool_search_call', call_id: 'call_1', execution: 'client' };

export const RESPONSES_INPUT: Samples = {
  'input[] (message: user)': [{ input: [user(said('Bye.'))] }],
  'input[] (message: system, developer), opening': [
    { input: [{ role: 'developer', content: 'Be kind.' }, ask] },
  ],
  'input[] (message: system, developer), later': [
    { input: [ask, hi, { role: 'system', content: 'Be kind.' }, ask] },
    none,
  ],
  'input[] (message: assistant)': [none, { input: [ask] }],
  'input[] (message: assistant), last': [{ input: [ask, hi] }, { input: [ask] }],
  'input[].content[] (input_text)': [
    { input: [user(said('One.'), said('Two.'))] },
    { input: [user(said('One.'))] },
  ],
  'input[] (image_generation_call)': [
    {
      input: [
        ask,
        {
          type: 'image_generation_call',
          id: 'ig_1',
          status: 'completed',
          result: 'iVBORw0KGgo=',
          output_format: 'png',
        },
        ask,
      ],
    },
    { input: [ask, ask] },
  ],
  'input[].content[] (refusal)': [
    {
      input: [
        ask,
        { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] },
        ask,
      ],
    },
    { input: [ask] },
  ],
  'input[].content[] (input_image: data)': [look2({ type: 'input_image', image_url: PNG }), look],
  'input[].content[] (input_image: address)': [
    look2({ type: 'input_image', image_url: 'https://pictures.test/cat.png' }),
    look,
  ],
  'input[].content[] (input_image: file_id)': [look2({ type: 'input_image', file_id: 'file-1' }), look],
  'input[].content[].detail': [
    { input: [user({ type: 'input_image', image_url: PNG, detail: 'low' })] },
    { input: [user({ type: 'input_image', image_url: PNG })] },
  ],
  'input[].content[] (input_file: file_data)': [
    look2({ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }),
    look,
  ],
  'input[].content[] (input_file: file_url)': [
    look2({ type: 'input_file', file_url: 'https://papers.test/a.pdf' }),
    look,
  ],
  'input[].content[] (input_file: file_id)': [look2({ type: 'input_file', file_id: 'file-1' }), look],
  'input[].content[].prompt_cache_breakpoint': [
    { input: [user({ ...said('Hello.'), ...BREAKPOINT })] },
    { input: [ask] },
  ],
  'input[].content[].cache_control': [
    { input: [user({ ...said('Hello.'), cache_control: { type: 'ephemeral', ttl: '1h' } })] },
    { input: [ask] },
  ],
  'input[].content[] (input_audio)': [
    {
      input: [user(said('Hear.'), { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } })],
    },
    { input: [user(said('Hear.'))] },
  ],
  'input[].phase': [
    { input: [ask, { role: 'assistant', content: 'Hi.', phase: 'commentary' }, ask] },
    { input: [ask, { role: 'assistant', content: 'Hi.' }, ask] },
  ],
  'input[] (function_call, function_call_output)': [{ input: [ask, call, out('Sunny.')] }, { input: [ask] }],
  'input[].namespace': [
    { input: [ask, { ...call, namespace: 'mcp' }, out('Sunny.')] },
    { input: [ask, call, out('Sunny.')] },
  ],
  'input[].output[] (input_image)': [
    { input: [ask, call, out([said('Sunny.'), { type: 'input_image', image_url: PNG }])] },
    { input: [ask, call, out([said('Sunny.')])] },
  ],
  'input[].output[] (input_file)': [
    {
      input: [
        ask,
        call,
        out([
          said('Sunny.'),
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
        ]),
      ],
    },
    { input: [ask, call, out([said('Sunny.')])] },
  ],
  'input[].output[].prompt_cache_breakpoint': [
    { input: [ask, call, out([{ ...said('Sunny.'), ...BREAKPOINT }])] },
    { input: [ask, call, out([said('Sunny.')])] },
  ],
  'input[] (custom_tool_call and its output)': [
    {
      input: [
        ask,
        { type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: '*** Begin' },
        { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Done.' },
      ],
    },
    { input: [ask] },
  ],
  'input[] (reasoning: encrypted)': [
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'ZW5j' }),
    none,
  ],
  'input[] (reasoning: plain)': [
    item({ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }),
    none,
  ],
  'input[] (web_search_call)': [
    item({
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'x' },
    }),
    none,
  ],
  'input[] (computer_call)': [
    item({
      type: 'computer_call',
      id: 'cu_1',
      call_id: 'c1',
      status: 'completed',
      action: { type: 'wait' },
      pending_safety_checks: [],
    }),
    none,
  ],
  'input[] (additional_tools)': [
    { tools: [], input: [{ type: 'additional_tools', role: 'developer', tools: [WEATHER, MCP] }, ask] },
    { tools: [], input: [ask] },
  ],
  'input[] (tool_search_call, tool_search_output)': [
    { tools: [], input: [ask, SEARCH, { ...SEARCH, type: 'tool_search_output', tools: [WEATHER] }] },
    { tools: [], input: [ask] },
  ],
  'input[] (item_reference)': [item({ type: 'item_reference', id: 'msg_1' }), none],
};
