import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tool } from '#canonical';
import { decodeMessages } from '../../test/support/messages-exchange.ts';
import { listAskedTools } from './asked-tools.ts';
import { listSentTools } from './sent-tools.ts';

test('a search is sent to Gemini as its own, except beside functions, with which Gemini refuses it', () => {
  const listSent = (...beside: Tool[]): string[] => {
    const request = decodeMessages({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] });
    request.tools.push(...beside);
    return listSentTools(listAskedTools(request), request, 'gemini').map(({ tool }) => tool);
  };
  assert.deepEqual(listSent(), ['google_search']);
  assert.deepEqual(listSent({ type: 'function', name: 'f' }), []);
});
