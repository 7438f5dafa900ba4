import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_FORMATS, TEXT_ENDPOINTS } from '#canonical';
import { askAs } from '../../../../test/support/ask-as.ts';
import { openInProcess } from '../../../../test/support/in-process.ts';

test('rows name the endpoints of text by which reports and replay know them', async () => {
  await using gateway = await openInProcess();
  for (const format of CLIENT_FORMATS) {
    const recorded = new Set<string>();
    for (const stream of [false, true]) {
      const { path, body } = askAs(format, { model: 'chat-model', stream, most: 10 });
      const response = await gateway.post(path, body);
      await response.text();
      recorded.add((await gateway.getRow(response)).endpoint);
    }
    assert.deepEqual([...recorded], TEXT_ENDPOINTS[format]);
  }
});
