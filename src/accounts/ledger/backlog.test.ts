import { after, before, test } from 'node:test';
import { Journal, inspectJournal } from '#storage';
import { silentLog } from '#telemetry';
import { type TemporaryFolder, createTemporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { Backlog } from './backlog.ts';

let temporary: TemporaryFolder;

before(() => (temporary = createTemporaryFolder()));
after(() => temporary.remove());

test('progress that is written while earlier progress is dropped is dropped with the next', async () => {
  const folder = temporary.path;
  const journal = new Journal({ folder, installation: 'here', log: silentLog });
  await journal.open();
  const onFault = (error: unknown): void => {
    throw error;
  };
  const backlog = new Backlog({ journal, onFault });
  const progress = new Map([['req_1', { customer: 1n, provider: 1n, row: createRow() }]]);
  await backlog.addProgress(progress);
  const dropFirst = backlog.markProgress();
  const writing = backlog.addProgress(progress);
  dropFirst();
  await writing;
  backlog.markProgress()();
  await until('nothing is left', async () => (await inspectJournal(folder)).records.length === 0);
  await journal.close();
});

function createRow() {
  return {
    requestId: 'req_1',
    organizationId: 'org',
    projectId: 'project',
    keyId: 'key',
    finishReason: 'gateway_error',
  };
}
