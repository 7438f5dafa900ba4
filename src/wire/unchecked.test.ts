import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { ChatBody } from './chat/schema.ts';
import { isObject, itemsOf } from './body/read-field.ts';
import type { Members } from './body/unchecked.ts';

const RAW: JsonObject = { tool_choice: 'auto', messages: [{ role: 'user', content: 'Hi.' }, 'no message'] };

test('a misspelt member of a body does not compile, nor a value before it is checked', () => {
  const body: Members<ChatBody> = RAW;
  assert.equal(body.tool_choice, 'auto');
  // @ts-expect-error -- no such member
  assert.equal(body.tool_choise, undefined);
  const [message, text] = itemsOf(body.messages);
  assert.ok(isObject(message) && !isObject(text));
  assert.equal(message.content, 'Hi.');
  // @ts-expect-error -- no such member
  assert.equal(message.contents, undefined);
  // @ts-expect-error -- may be any JSON value
  const role: string | undefined = message.role;
  assert.equal(role, 'user');
});
