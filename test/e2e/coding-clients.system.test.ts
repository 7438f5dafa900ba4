import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  CODING_CLIENTS,
  type CodingClient,
  describeMissing,
  findClientFolder,
  runCodingClient,
} from '../support/coding-clients.ts';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../support/temporary.ts';
import { answer, sequence } from '../support/upstream-replies.ts';

const TIMEOUT_MS = 300_000;
const MODELS = ['chat-model', 'messages-model', 'responses-model'];

for (const client of Object.values(CODING_CLIENTS)) describeClient(client);

function describeClient(client: CodingClient): void {
  const binFolder = findClientFolder(client);
  const skip = binFolder === undefined && describeMissing(client);

  describe(`${client.title}, headless, does a task of two tools`, { skip }, () => {
    let upstream: MockUpstream;
    let gateway: Gateway;
    let folder: TemporaryFolder;

    before(async () => {
      upstream = await startMockUpstream();
      folder = createTemporaryFolder(`sluice-${client.name}-`);
      gateway = await startGateway({
        config: createProviderConfig(
          upstream.baseUrl,
          { id: 'talker', format: 'chat', models: ['chat-model'] },
          { id: 'writer', format: 'messages', models: ['messages-model'] },
          { id: 'responder', format: 'responses', models: ['responses-model'] },
        ),
      });
    });

    after(async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream.close();
      folder.remove();
    });

    for (const model of MODELS) {
      const title = `reads a file and writes another through ${model}, reports its usage, and its cost is in the log`;
      test(title, { timeout: TIMEOUT_MS }, async () => {
        const source = folder.write(`${model}/source.txt`, 'the answer is 42\n');
        const target = join(folder.path, model, 'target.txt');
        upstream.clear();
        upstream.script({ reply: answer({ text: 'side question' }) });
        upstream.script({
          match: ({ rawBody, body }) =>
            rawBody.includes('Copy the answer') &&
            JSON.stringify(body['tools'] ?? '').includes(client.write('', '').name),
          reply: sequence(
            answer({ text: 'Reading.', toolCalls: [client.read(source)] }),
            answer({ text: 'Writing.', toolCalls: [client.write(target, '42')] }),
            answer({ text: 'Copied 42.', chunks: 1 }),
          ),
        });
        const ran = await runCodingClient({
          client,
          folder: binFolder ?? '',
          gateway,
          model,
          prompt: `Copy the answer in ${source} to ${target}`,
          home: folder.path,
          workingDirectory: dirname(source),
        });
        assert.equal(ran.code, 0, ran.text);
        assert.equal(readFileSync(target, 'utf8'), '42', ran.text);
        assert.match(ran.text, /Copied 42\./);
        const sent = upstream.truths.find(({ rawBody }) => rawBody.includes('the answer is 42'));
        assert.ok(sent, 'the file’s content reached the provider as a tool result');
        const used = client.usageOf(ran.lines);
        assert.ok(used.input > 0 && used.output > 0, `usage is reported: ${JSON.stringify(used)}`);
        const { json, stdout } = await gateway.cli('logs', '--model', model);
        const rows = (json?.['data'] ?? JSON.parse(stdout)) as { cost: string }[];
        assert.ok(rows.filter(({ cost }) => Number(cost) > 0).length >= 3, 'three turns, each paid');
      });
    }
  });
}
