import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { findViolations, noBrowser, openTab } from './browser.ts';

const CHAT = '/v1/chat/completions';
const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
const ADVICE = 'How to keep it';

describe('a request without a payload in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
  });
  after(() => gateway[Symbol.asyncDispose]());

  const send = async (): Promise<string> => {
    const response = await gateway.post(CHAT, ask);
    await response.text();
    return response.headers.get('x-request-id') ?? assert.fail('no id');
  };
  /** Moves a request into the past. */
  const age = (id: string, days: number) =>
    gateway.database.query({
      text: 'UPDATE request_log SET started_at = started_at - make_interval(days => $2) WHERE request_id = $1',
      values: [id, days],
    });

  test('says that its project keeps none, and how to change that to those who may', async () => {
    const id = await send();
    const { organizationId } = gateway.account;
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests/${id}`);
    const said = page.getByRole('region', { name: 'Conversation' });
    await said.getByText('The project default does not keep what is said.').waitFor();
    assert.equal(await said.getByText('npx sluice').count(), 0);
    await said.getByText(ADVICE).click();
    await said.getByText('npx sluice payloads set').waitFor();
    assert.deepEqual(await findViolations(page), []);
    await using customer = await openTab(gateway, {}, { organizationId });
    await customer.page.goto(`${gateway.url}/dashboard/#/requests/${id}`);
    await customer.page.getByText('The project default does not keep what is said.').waitFor();
    assert.equal(await customer.page.getByText(ADVICE).count(), 0);
    assert.deepEqual(faults, []);
  });

  test('says whether it came too early or has expired where its project keeps payloads', async () => {
    const [early, old] = [await send(), await send()];
    await gateway.accounts.directory.updateProject(gateway.account.projectId, { payloadDays: 3 });
    await age(early, 1);
    await age(old, 4);
    await using tab = await openTab(gateway);
    const { page } = tab;
    const said = page.getByRole('region', { name: 'Conversation' });
    await page.goto(`${gateway.url}/dashboard/#/requests/${early}`);
    await said
      .getByText(/keeps what is said for 3 days\. Nothing is stored of this request: it came/)
      .waitFor();
    await page.goto(`${gateway.url}/dashboard/#/requests/${old}`);
    await said.getByText(/That of this request has expired\./).waitFor();
    assert.equal(await page.getByText(ADVICE).count(), 0);
  });
});
