import { GatewayError } from '#errors';
import { isArray, isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';

const CHAT_PARTS: ReadonlySet<string> = new Set([
  'image_url',
  'input_text',
  'input_image',
  'input_audio',
  'file',
  'output_text',
  'refusal',
]);
const CHAT_ROLES: ReadonlySet<string> = new Set(['tool', 'function', 'developer']);
const CHAT_CHOICES: ReadonlySet<string> = new Set(['function', 'allowed_tools']);
/** Limits the size of the error for a body with many faults. */
const MOST_NAMED = 1000;

interface Part {
  type: string;
  content: Part[];
}

/** Members that identify a Chat request. */
type MaybeChat = Members<{
  tools: { type: string; function: object }[];
  tool_choice: { type: string; function: object };
  system: Part[];
  messages: { role: string; content: Part[] }[];
}>;

/** Refuses a body with the structure of Chat Completions, naming every place that shows it. */
export function rejectForeign(body: MaybeChat): void {
  const found: string[] = [];
  findInTools(body.tools, found);
  findInToolChoice(body.tool_choice, found);
  findInParts(body.system, 'system', found);
  findInMessages(body.messages, found);
  if (found.length === 0) return;
  const named = found.slice(0, MOST_NAMED).join('; ');
  const rest = found.length > MOST_NAMED ? `; and ${found.length - MOST_NAMED} more` : '';
  throw new GatewayError(
    'wrong_format',
    `${named}${rest}. This is the structure of a Chat Completions body: send it to /v1/chat/completions, or use the Messages format here`,
    { param: found[0]?.split(':', 1)[0] ?? '' },
  );
}

function findInTools(tools: MaybeChat['tools'], found: string[]): void {
  if (!isArray(tools)) return;
  for (let at = 0; at < tools.length; at += 1) {
    const tool = tools[at];
    if (!isObject(tool)) continue;
    if (isObject(tool.function)) found.push(`tools.${at}.function: function-shaped tool`);
    else if (tool.type === 'function') found.push(`tools.${at}.type: function-shaped tool`);
  }
}

function findInToolChoice(choice: MaybeChat['tool_choice'], found: string[]): void {
  if (typeof choice === 'string') found.push('tool_choice: a string instead of an object');
  if (!isObject(choice)) return;
  if (isObject(choice.function)) found.push('tool_choice.function: function-shaped tool_choice');
  else if (typeof choice.type === 'string' && CHAT_CHOICES.has(choice.type)) {
    found.push(`tool_choice.type: ${choice.type}`);
  }
}

function findInMessages(messages: MaybeChat['messages'], found: string[]): void {
  if (!isArray(messages)) return;
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    if (!isObject(message)) continue;
    const { role, content } = message;
    if (typeof role === 'string' && CHAT_ROLES.has(role)) found.push(`messages.${at}.role: ${role}`);
    if (content === null) found.push(`messages.${at}.content: null`);
    else if (isArray(content)) findInParts(content, `messages.${at}.content`, found);
  }
}

function findInParts(parts: MaybeChat['system'], path: string, found: string[]): void {
  if (!isArray(parts)) return;
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at];
    if (!isObject(part)) continue;
    const { type } = part;
    if (type === 'tool_result') findInParts(part.content, `${path}.${at}.content`, found);
    else if (typeof type === 'string' && CHAT_PARTS.has(type)) found.push(`${path}.${at}.type: ${type}`);
  }
}
