import { ENDPOINTS } from '#http';
import { MEDIA } from './fuzz/base-bodies.ts';

const MIB = 1024 * 1024;

/** A request that takes long, identified by its name. */
interface HostileRequest {
  name: string;
  path: string;
  contentType: string;
  /** Whose key it is sent with. */
  isAdmin: boolean;
  createBody(): Buffer;
}

interface Endpoint {
  path: string;
  isAdmin?: boolean;
  /** What every body of it begins with. */
  head: string;
  /** A member that must be there, and a value that will do. */
  main: [name: string, usual: string];
  /** Members that are filled one after the other. */
  members: string[];
  /** Values of members that are as large as they may be, and meant well. */
  valid?: Record<string, () => string>;
}

/** Fills an array to this many bytes with one item. */
function fill(item: string, bytes: number, most = Infinity): string {
  const count = Math.max(1, Math.min(most, Math.floor(bytes / (item.length + 1))));
  return `[${`${item},`.repeat(count).slice(0, -1)}]`;
}

function list(count: number, item: (at: number) => string): string {
  return `[${Array.from({ length: count }, (_, at) => item(at)).join()}]`;
}

function names(bytes: number, value = '1'): string {
  const count = Math.floor(bytes / (`"k1234567":,`.length + value.length));
  return `{${Array.from({ length: count }, (_, at) => `"k${at}":${value}`).join()}}`;
}

const schema = (count: number): string =>
  `{"type":"object","properties":{${list(count, (at) => `"k${at}":{"type":"string","enum":["a"]}`).slice(1, -1)}}}`;

/** The worst of each shape, for whatever member. */
const SHAPES: Record<string, (bytes: number) => string> = {
  texts: (bytes) => fill('"a"', bytes),
  'empty texts': (bytes) => fill('""', bytes),
  numbers: (bytes) => fill('1', bytes),
  objects: (bytes) => fill('{}', bytes),
  'objects of a member': (bytes) => fill('{"type":"text"}', bytes),
  nulls: (bytes) => fill('null', bytes),
  'as many values as fit': () => fill('{}', Infinity, 195_000),
  'as many texts as fit': () => list(195_000, (at) => `"${at}"`),
  names: (bytes) => names(bytes),
  'as many numbers as fit': () => list(395_000, (at) => `${at}.12345678901234567`),
  'as many names as fit': () => list(19_000, (at) => `{"k${at}":1}`),
  nested: (bytes) => fill('['.repeat(120) + ']'.repeat(120), bytes),
  'too deep': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  text: (bytes) => `"${'a '.repeat(bytes / 2)}"`,
  'wide text': (bytes) => `"${'a€'.repeat(bytes / 4)}"`,
  'escaped quotes': (bytes) => `"${String.raw`\"`.repeat(bytes / 2)}"`,
  'escaped letters': (bytes) => `"${String.raw`\u20ac`.repeat(bytes / 6)}"`,
  digits: (bytes) => '1'.repeat(bytes),
  blanks: (bytes) => `${' '.repeat(bytes)}1`,
};

const text = (bytes: number): string => 'a '.repeat(bytes / 2);
const TOOL_ARGUMENTS = JSON.stringify(JSON.stringify({ a: Array<number>(190_000).fill(1) }));
const MOST_MESSAGES = 79_000;
const MOST_PARTS = 44_000;
const MOST_CONTENTS = 56_000;
const MOST_CALLS = 23_000;
const MOST_PROPERTIES = 19_000;

const GATEWAY_ENDPOINTS: Endpoint[] = [
  {
    path: '/v1/messages',
    head: '"model":"hostile-chat","max_tokens":10',
    main: ['messages', '[{"role":"user","content":"x"}]'],
    members: ['messages', 'tools', 'metadata', 'stop_sequences', 'system', 'unknown'],
    valid: {
      messages: () =>
        list(MOST_MESSAGES, (at) => `{"role":"${at % 2 ? 'assistant' : 'user'}","content":"x"}`),
      'messages of parts': () =>
        fill('{"role":"user","content":[{"type":"text","text":"x"}]}', Infinity, MOST_PARTS),
      'messages of calls': () =>
        `[{"role":"user","content":"x"},{"role":"assistant","content":${list(MOST_CALLS, (at) => `{"type":"tool_use","id":"t${at}","name":"f","input":{}}`)}},{"role":"user","content":${list(MOST_CALLS, (at) => `{"type":"tool_result","tool_use_id":"t${at}","content":"x"}`)}}]`,
      'messages of an image': () =>
        `[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${'A'.repeat(30 * MIB)}"}}]}]`,
      tools: () => list(10_000, (at) => `{"name":"f${at}","input_schema":{"type":"object"}}`),
      'tools of a schema': () => `[{"name":"f","input_schema":${schema(MOST_PROPERTIES)}}]`,
    },
  },
  {
    path: '/v1/chat/completions',
    head: '"model":"hostile-gemini"',
    main: ['messages', '[{"role":"user","content":"x"}]'],
    members: ['messages', 'tools', 'metadata', 'stop', 'response_format', 'logit_bias', 'unknown'],
    valid: {
      messages: () =>
        list(MOST_MESSAGES, (at) => `{"role":"${at % 2 ? 'assistant' : 'user'}","content":"x"}`),
      'messages of calls': () =>
        `[{"role":"user","content":"x"},{"role":"assistant","tool_calls":${list(MOST_CALLS, (at) => `{"type":"function","id":"t${at}","function":{"name":"f","arguments":"{}"}}`)}},${list(MOST_CALLS, (at) => `{"role":"tool","tool_call_id":"t${at}","content":"x"}`).slice(1)}`,
      'messages of arguments': () =>
        `[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"type":"function","id":"t","function":{"name":"f","arguments":${TOOL_ARGUMENTS}}}]},{"role":"tool","tool_call_id":"t","content":"x"}]`,
      'messages of text': () => `[{"role":"user","content":"${text(30 * MIB)}"}]`,
      'tools of a schema': () =>
        `[{"type":"function","function":{"name":"f","parameters":${schema(MOST_PROPERTIES)}}}]`,
      response_format: () =>
        `{"type":"json_schema","json_schema":{"name":"x","schema":${schema(MOST_PROPERTIES)}}}`,
    },
  },
  {
    path: '/v1/responses',
    head: '"model":"hostile-chat"',
    main: ['input', '"x"'],
    members: ['input', 'tools', 'metadata', 'include', 'text', 'unknown'],
    valid: {
      input: () => list(MOST_MESSAGES, (at) => `{"role":"${at % 2 ? 'assistant' : 'user'}","content":"x"}`),
      'input of text': () => `"${text(30 * MIB)}"`,
      'tools of a schema': () => `[{"type":"function","name":"f","parameters":${schema(MOST_PROPERTIES)}}]`,
    },
  },
  {
    path: '/v1beta/models/hostile-gemini:generateContent',
    head: '"labels":{}',
    main: ['contents', '[{"role":"user","parts":[{"text":"x"}]}]'],
    members: ['contents', 'tools', 'generationConfig', 'safetySettings', 'systemInstruction', 'unknown'],
    valid: {
      contents: () =>
        list(MOST_CONTENTS, (at) => `{"role":"${at % 2 ? 'model' : 'user'}","parts":[{"text":"x"}]}`),
      'tools of a schema': () =>
        `[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${schema(MOST_PROPERTIES)}}]}]`,
      'contents of an image': () =>
        `[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"${'A'.repeat(30 * MIB)}"}}]}]`,
    },
  },
  {
    path: '/v1/messages/count_tokens',
    head: '"model":"hostile-chat"',
    main: ['messages', '[{"role":"user","content":"x"}]'],
    members: ['messages', 'tools'],
    valid: { 'messages of text': () => `[{"role":"user","content":"${text(30 * MIB)}"}]` },
  },
  {
    path: '/v1/responses/input_tokens',
    head: '"model":"hostile-chat"',
    main: ['input', '"x"'],
    members: ['input', 'tools'],
    valid: { 'input of text': () => `"${text(30 * MIB)}"` },
  },
  {
    path: '/v1/embeddings',
    head: '"model":"hostile-chat"',
    main: ['input', '"x"'],
    members: ['input', 'unknown'],
    valid: { input: () => list(2_048, () => `"${text(15_000)}"`) },
  },
  {
    path: '/v1/rerank',
    head: '"model":"hostile-chat","query":"x"',
    main: ['documents', '["x"]'],
    members: ['documents', 'query'],
    valid: { documents: () => list(10_000, () => `"${text(3_000)}"`) },
  },
  {
    path: '/v1/audio/speech',
    head: '"model":"hostile-chat","voice":"a"',
    main: ['input', '"x"'],
    members: ['input', 'instructions'],
  },
  { path: '/v1/session_tokens', head: '"limit":"1"', main: ['user', '"x"'], members: ['models', 'user'] },
  {
    path: '/v1/messages',
    head: '"model":"hostile-messages","max_tokens":10',
    main: ['messages', '[{"role":"user","content":"x"}]'],
    members: ['messages'],
    valid: {
      'messages to be marked': () =>
        list(MOST_MESSAGES, (at) => `{"role":"${at % 2 ? 'assistant' : 'user'}","content":"x"}`),
      'messages of text to be marked': () => `[{"role":"user","content":"${text(30 * MIB)}"}]`,
    },
  },
];

/** Media that take JSON and have no line above: the first member of their body, and one that is not known. */
function listMedia(): Endpoint[] {
  const known = new Set(GATEWAY_ENDPOINTS.map(({ path }) => path));
  return Object.entries(MEDIA)
    .filter(([path]) => !known.has(path))
    .map(([path, body]) => {
      const [[name, usual] = ['unknown', 1], ...others] = Object.entries(body);
      const head = JSON.stringify({ model: 'hostile-chat', ...Object.fromEntries(others) }).slice(1, -1);
      return { path, head, main: [name, JSON.stringify(usual)], members: [name, 'unknown'] };
    });
}

/** Endpoints whose body is read by their schema: the first list or object represents all its members. */
function listOthers(): Endpoint[] {
  return ENDPOINTS.flatMap(({ method, template, body, auth }) => {
    if (!body || method !== 'POST' || template.startsWith('/v1')) return [];
    const { properties = {} } = body as { properties?: Record<string, { type?: string }> };
    const deep = Object.entries(properties).find(([, { type }]) => type === 'array' || type === 'object');
    const member = deep?.[0] ?? Object.keys(properties)[0] ?? 'unknown';
    return {
      path: template.replace('{id}', 'none'),
      isAdmin: auth === 'admin',
      head: '"unknown":1',
      main: ['unknown', '1'],
      members: [member],
    };
  });
}

/** Every endpoint with every shape in its members, of about this many bytes each. */
export function listHostileRequests(bytes: number): HostileRequest[] {
  return [
    ...[...GATEWAY_ENDPOINTS, ...listMedia(), ...listOthers()].flatMap((endpoint) => listOf(endpoint, bytes)),
    ...listForms(bytes),
  ];
}

function listOf(endpoint: Endpoint, bytes: number): HostileRequest[] {
  const { path, isAdmin = false, head, main, members, valid = {} } = endpoint;
  const [needed, usual] = main;
  const create = (member: string, value: string): Buffer => {
    const rest = member === needed ? '' : `"${needed}":${usual},`;
    return Buffer.from(`{${head},${rest}"${member}":${value}}`);
  };
  const request = (name: string, createBody: () => Buffer): HostileRequest => ({
    name: `${path} ${name}`,
    path,
    contentType: 'application/json',
    isAdmin,
    createBody,
  });
  return [
    ...members.flatMap((member) =>
      Object.entries(SHAPES).map(([shape, value]) =>
        request(`${member}: ${shape}`, () => create(member, value(bytes - 1_000))),
      ),
    ),
    ...Object.entries(valid).map(([name, value]) =>
      request(`${name}, valid`, () => create(name.split(' ')[0] ?? '', value())),
    ),
  ];
}

const BOUNDARY = 'hostile-boundary';
const part = (name: string, value: string): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

function listForms(bytes: number): HostileRequest[] {
  const form = (path: string, name: string, parts: () => string): HostileRequest => ({
    name: `${path} form: ${name}`,
    path,
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    isAdmin: false,
    createBody: () => Buffer.from(`${parts()}--${BOUNDARY}--\r\n`),
  });
  return ['/v1/audio/transcriptions', '/v1/images/edits', '/v1/videos'].flatMap((path) => [
    form(path, 'parts', () => part('a', 'x').repeat(bytes / 80)),
    form(path, 'a hundred values', () => part('model', 'x'.repeat(bytes / 110)).repeat(99)),
    form(path, 'dashes', () => part('prompt', `\r\n--${BOUNDARY.slice(1)}`.repeat(bytes / 20))),
    form(
      path,
      'a long value',
      () => part('model', 'hostile-chat') + part('prompt', 'x'.repeat(bytes - 1_000)),
    ),
  ]);
}
