import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUsd, parseUsd } from '#base';
import { shareGateway } from '../support/share-gateway.ts';
import type { MockUpstream } from '../support/mock-upstream.ts';
import { replyWith } from '../support/tool-answers.ts';
import type { ToolRow } from '../support/tool-rows.ts';
import { OPENAI_ROWS } from '../support/tool-rows-openai.ts';
import { OTHER_ROWS } from '../support/tool-rows-others.ts';

const gateway = shareGateway({ config: createConfig });

function createConfig({ baseUrl }: MockUpstream): string {
  const entry = (id: string, more = '') =>
    `  - { id: ${id}, baseUrl: "${baseUrl}", apiKey: mock-key${more} }\n`;
  const search = 'id: gpt-4o-search-preview, price: { input: "2.5", output: "10" }, contextLength: 128000';
  const providers = ['anthropic', 'google', 'perplexity', 'xai', 'groq'].map((id) => entry(id));
  providers.push(entry('openai', `, models: [{ ${search} }]`));
  return `providers:\n${providers.join('')}`;
}

const TABLE: Record<string, ToolRow> = { ...OPENAI_ROWS, ...OTHER_ROWS };

function sum(...amounts: string[]): bigint {
  return amounts.reduce((total, amount) => total + (parseUsd(amount) ?? 0n), 0n);
}

function holdOf({ holdTokens, holdTools, asked }: ToolRow): bigint {
  if (typeof holdTokens === 'string') return sum(holdTokens, holdTools);
  const { perToken, output, frame } = holdTokens;
  const tokens = BigInt(JSON.stringify(asked.body).length + frame);
  return sum(output, holdTools) + tokens * sum(perToken);
}

/** Records that the organization has created what the request refers to. */
async function make(organizationId: string, { made = [] }: ToolRow): Promise<void> {
  for (const id of made) {
    await gateway.database.query({
      text: `INSERT INTO account_object (organization_id, holder, provider_id, credential_id, id, expires_at)
        VALUES ($1, '', 'openai', '', $2, now() + interval '1 day') ON CONFLICT DO NOTHING`,
      values: [organizationId, id],
    });
  }
}

for (const [name, row] of Object.entries(TABLE)) {
  test(`${name}: the hold is what it may cost`, async () => {
    const { apiKey, organizationId } = await gateway.createAccount({ credits: 1n });
    await make(organizationId, row);
    const headers = { authorization: `Bearer ${apiKey}` };
    const refused = await gateway.post(row.asked.path, row.asked.body, headers);
    assert.equal(refused.status, 402);
    const amount = /may cost up to ([\d.]+) USD/.exec(await refused.text())?.[1];
    assert.equal(amount, formatUsd(holdOf(row)));
    assert.equal(gateway.upstream.truths.length, 0);
  });

  for (const stream of [false, true]) {
    test(`${name}: the bill is what it costs, ${stream ? 'streamed' : 'as JSON'}`, async () => {
      await make(gateway.account.organizationId, row);
      gateway.upstream.script({ reply: replyWith(row.answer) });
      const { path, streamPath, body } = row.asked;
      const response =
        stream && streamPath === undefined
          ? await gateway.post(path, { ...body, stream: true })
          : await gateway.post(stream ? (streamPath ?? path) : path, body);
      assert.equal(response.status, 200, await response.clone().text());
      await response.text();
      const { customer, provider, units = [], estimated } = await gateway.getRow(response);
      assert.equal(formatUsd(BigInt(customer)), formatUsd(sum(row.tokens, row.tools)));
      assert.equal(provider, customer);
      assert.deepEqual(units, row.units);
      assert.equal(estimated, false);
      const sent = gateway.upstream.truths[0]?.body ?? {};
      for (const [member, value] of Object.entries(row.forwarded))
        assert.deepEqual(sent[member], value, member);
    });
  }
}
