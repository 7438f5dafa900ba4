import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { noBrowser, openTab } from './browser.ts';

const CHAT = '/v1/chat/completions';
const ASKED = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };

describe('what keys and their owners do, in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('a key, member, project and organization lead to their requests, usage and sessions, and are found by name', async () => {
    const { directory } = gateway.accounts;
    const { organizationId, projectId } = gateway.account;
    const { id: memberId } = await directory.addMember({ organizationId, name: 'Grace', role: 'member' });
    const { secret, key } = await directory.createKey({ projectId, label: 'robot 7', memberId });
    await (await gateway.post(CHAT, ASKED, { authorization: `Bearer ${secret}` })).text();
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    for (const [name, kind, id] of [
      ['robot 7', 'key', key.id],
      ['Grace', 'member', memberId],
      ['default', 'project', projectId],
      ['Acme', 'organization', organizationId],
    ] as const)
      for (const [link, heading] of [
        ['Requests', 'Requests'],
        ['Usage', 'Now'],
        ['Sessions', 'Sessions'],
      ] as const) {
        await page.keyboard.press('Control+k');
        await page.getByLabel('A page, a model, a key, a request or a session').fill(name);
        await page
          .getByRole('option', { name: new RegExp(`^${name} [kmpo]`) })
          .first()
          .click();
        const way = page.getByRole('link', { name: `${link} of ${name}`, exact: true });
        await way.waitFor();
        assert.equal(await page.getByRole('group', { name: /^Activity of / }).count(), 1, name);
        await way.click();
        await page.waitForURL(new RegExp(`#/(requests|sessions)?\\?${kind}_id=${id}`));
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      }
    await page.goto(`${gateway.url}/dashboard/#/?key_id=${key.id}`);
    await page
      .getByRole('group', { name: 'Usage by model' })
      .getByRole('cell', { name: '1', exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Of all keys, not only robot 7' }).click();
    await page.waitForURL(/#\/$/);
    assert.deepEqual(faults, []);
  });
});
