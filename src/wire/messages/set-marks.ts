import type { SetMarks } from '#canonical';
import { findMarkedMessages } from '../request/limit-marks.ts';
import { isArray, isObject } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';
import { markContent } from './mark-blocks.ts';
import type { MessagesBody } from './schema.ts';

type Body = Members<MessagesBody>;

const MARK = { type: 'ephemeral' };

/** Sets cache marks in an encoded body without any. What carries one is copied: it may be the caller's own. */
export function setCacheMarks(body: Body, marks: SetMarks | undefined): void {
  if (marks === undefined) return;
  markInstructions(body);
  if (marks === 'conversation') markConversation(body);
}

/** Tools come before instructions, whose mark covers both. */
function markInstructions(body: Body): void {
  const system = markContent(body.system, MARK);
  if (system) body.system = system;
  else if (isArray(body.tools)) {
    const at = body.tools.findLastIndex((tool) => isObject(tool) && tool.defer_loading !== true);
    const tool = body.tools[at];
    if (isObject(tool)) body.tools = body.tools.with(at, { ...tool, cache_control: MARK });
  }
}

function markConversation(body: Body): void {
  if (!isArray(body.messages)) return;
  const messages = body.messages.slice();
  const roles = messages.map((message) => (isObject(message) ? message.role : undefined));
  for (const at of findMarkedMessages(roles)) {
    const message = messages[at];
    const content = isObject(message) ? markContent(message.content, MARK) : undefined;
    if (isObject(message) && content) messages[at] = { ...message, content };
  }
  body.messages = messages;
}
