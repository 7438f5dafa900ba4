import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLog } from '#telemetry';
import type { FaultyFiles } from '../../../test/support/faulty-files.ts';
import { giveJournalFolder, pathOfOnly } from '../../../test/support/journal-folder.ts';
import { until } from '../../../test/support/until.ts';
import { inspectJournal } from './inspect-journal.ts';
import { Journal, type JournalOptions, JournalUnavailable } from './journal.ts';

let folder: string;
let faulty: FaultyFiles;
giveJournalFolder((given) => ({ folder, faulty } = given));

async function open(options: Partial<JournalOptions> = {}): Promise<Journal> {
  const journal = new Journal({
    folder,
    installation: 'here',
    log: silentLog,
    files: faulty.files,
    ...options,
  });
  await journal.open();
  return journal;
}

/** What a process finds that starts after the one before was killed: nothing of it was closed. */
async function readLeft(options: Partial<JournalOptions> = {}): Promise<string[]> {
  const journal = await open(options);
  return journal.takeLeftovers().map(({ text }) => text);
}

const listFiles = (): string[] => readdirSync(folder);

test('what was appended is there after a kill, in order, and only its owner can read it', async () => {
  const journal = await open();
  const texts = ['{"a":1}', 'ünïcode ✔', 'x'.repeat(100_000)];
  for (const text of texts) await journal.append(text);
  assert.equal(statSync(pathOfOnly(folder)).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.deepEqual(await readLeft(), texts);
  assert.deepEqual(await readLeft(), texts, 'and stays until it is confirmed');
});

const readWaiting = async (): Promise<string> => (await inspectJournal(folder)).records.sort().join();

test('confirmed records are deleted together, and a closed journal leaves no file', async () => {
  const journal = await open();
  const receipts = await Promise.all(['one', 'two'].map((text) => journal.append(text)));
  receipts[0]?.confirm();
  receipts[0]?.confirm();
  const third = await journal.append('three');
  assert.ok(readFileSync(pathOfOnly(folder)).includes('one'), 'an unconfirmed record keeps the file');
  receipts[1]?.confirm();
  third.confirm();
  await until('they are gone', async () => (await inspectJournal(folder)).records.length === 0);
  await journal.append('four').then(({ confirm }) => confirm());
  await journal.close();
  assert.deepEqual(listFiles(), []);
});

test('a confirmed record no longer waits, in a file that others keep, whether or not it is full', async () => {
  const journal = await open();
  const large = 'x'.repeat(5 * 2 ** 20);
  const receipts = await Promise.all(['one', large, 'two', 'three'].map((text) => journal.append(text)));
  const others = await Promise.all(['four', 'five'].map((text) => journal.append(text)));
  assert.equal(listFiles().length, 2);
  for (const number of [0, 1, 3]) receipts[number]?.confirm();
  others[0]?.confirm();
  await until('they are marked', async () => (await readWaiting()) === 'five,two');
  receipts[2]?.confirm();
  await until('the full file is gone', () => listFiles().length === 1);
  const next = await open();
  const left = next.takeLeftovers();
  assert.deepEqual(
    left.map(({ text }) => text),
    ['five'],
  );
  await next.append('six');
  left[0]?.confirm();
  await until('and so it is with those of others', async () => (await readWaiting()) === 'six');
});

test('a record in the place of a confirmed one still waits', async () => {
  const journal = await open();
  const emptyBytes = statSync(pathOfOnly(folder)).size;
  const first = await Promise.all(['one', 'two'].map((text) => journal.append(text)));
  for (const { confirm } of first) confirm(); // the first of them is to be marked, but not in an empty file
  await until('it is empty', () => statSync(pathOfOnly(folder)).size === emptyBytes);
  await journal.append('here');
  const other = await journal.append('other');
  other.confirm();
  await until('the other is marked', async () => !(await readWaiting()).includes('other'));
  assert.deepEqual(await readLeft(), ['here']);
});

test('a file that takes no note of what is confirmed is not written again', async () => {
  const journal = await open();
  const receipts = await Promise.all(['one', 'two', 'three'].map((text) => journal.append(text)));
  const first = pathOfOnly(folder);
  faulty.state = 'full';
  receipts[0]?.confirm();
  await until('it is noticed', () => !journal.isReady);
  faulty.state = 'well';
  const size = statSync(first).size;
  await journal.repair();
  const others = await Promise.all(['four', 'five'].map((text) => journal.append(text)));
  receipts[1]?.confirm();
  others[0]?.confirm();
  await until('the other file has its note', async () => !(await readWaiting()).includes('four'));
  assert.equal(statSync(first).size, size);
  assert.deepEqual((await readLeft()).sort(), ['five', 'one', 'three', 'two']);
});

test('a file whose records are all confirmed is emptied and used again', async () => {
  const journal = await open();
  const path = pathOfOnly(folder);
  const emptyBytes = statSync(path).size;
  for (const text of ['one', 'two']) {
    const receipt = await journal.append(text, 'written');
    assert.ok(statSync(path).size > emptyBytes);
    receipt.confirm();
    await until('it is empty', () => statSync(path).size === emptyBytes);
  }
  assert.equal(pathOfOnly(folder), path);
  await journal.append('three');
  assert.deepEqual(await readLeft(), ['three']);
});

test('[P2] a file cut at any byte of its last three records keeps every record before the cut', async () => {
  const texts = Array.from({ length: 8 }, (_, number) => `{"request":"req_${number}","c":"${number * 37}"}`);
  const journal = await open();
  const ends: number[] = [];
  for (const text of texts) {
    await journal.append(text);
    ends.push(statSync(pathOfOnly(folder)).size);
  }
  const whole = readFileSync(pathOfOnly(folder));
  const damagedName = 'killed-1.journal';
  for (let size = ends[4] ?? 0; size <= whole.length; size += 1) {
    for (const name of listFiles()) rmSync(join(folder, name));
    writeFileSync(join(folder, damagedName), whole.subarray(0, size));
    const kept = ends.filter((end) => end <= size).length;
    const next = await open();
    const left = next.takeLeftovers();
    assert.deepEqual(
      left.map(({ text }) => text),
      texts.slice(0, kept),
      `cut at byte ${size}`,
    );
    for (const { confirm } of left) confirm();
    await next.close();
    assert.deepEqual(listFiles(), [], `cut at byte ${size}: all is confirmed, nothing is left`);
  }
});

test('a file of more records than a call takes arguments is read', async () => {
  const journal = await open();
  await Promise.all(Array.from({ length: 150_000 }, () => journal.append('1', 'written')));
  assert.equal((await inspectJournal(folder)).records.length, 150_000);
  await journal.close();
});

test('an unfinished file, and a tail of zeros after a power failure, hold no records', async () => {
  const journal = await open();
  await journal.append('one');
  writeFileSync(pathOfOnly(folder), Buffer.concat([readFileSync(pathOfOnly(folder)), Buffer.alloc(5_000)]));
  for (const begun of ['', 'sluice jou', 'sluice journal 1 her'])
    writeFileSync(join(folder, `begun${begun.length}-1.journal`), begun);
  assert.deepEqual((await inspectJournal(folder)).unknown, []);
  assert.deepEqual(await readLeft(), ['one']);
});

test('records of another database are left alone', async () => {
  const other = await open({ installation: 'there' });
  await other.append('not ours');
  assert.deepEqual(await readLeft(), []);
  assert.deepEqual(await readLeft({ installation: 'there' }), ['not ours']);
});

test('1,000 records at once share their syncs, and each is durable when its promise resolves', async () => {
  const journal = await open();
  const before = faulty.syncs;
  const texts = Array.from({ length: 1_000 }, (_, number) => `record ${number}`);
  await Promise.all(texts.map((text) => journal.append(text)));
  assert.ok(faulty.syncs - before <= 3, `${faulty.syncs - before} syncs`);
  assert.deepEqual(await readLeft(), texts);
});

test('records that one turn of the event loop appends, one promise after the other, share a write', async () => {
  const journal = await open();
  const before = faulty.writes;
  const waitAndAppend = async (turns: number) => {
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    await journal.append(`record ${turns}`, 'written');
  };
  await Promise.all([0, 1, 20].map(waitAndAppend));
  assert.equal(faulty.writes - before, 1);
});

test('what was appended in the turn in which the journal is closed is written', async () => {
  const journal = await open();
  const appended = journal.append('last');
  await Promise.all([journal.close(), appended]);
  assert.deepEqual(await readLeft(), ['last']);
});

test('no promise resolves before its sync has', async () => {
  const journal = await open();
  const gate = Promise.withResolvers<undefined>();
  faulty.beforeSync = () => gate.promise;
  let isDurable = false;
  const appended = journal.append('one').then(() => (isDurable = true));
  while (faulty.writes < 2) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isDurable, false);
  gate.resolve(undefined);
  await appended;
});

for (const [id, state] of [
  ['P8', 'full'],
  ['P9', 'broken'],
] as const) {
  test(`[${id}] on a disk that is ${state} nothing is acknowledged, the file is never used again, and a new one is once it works`, async () => {
    const journal = await open();
    await journal.append('before');
    const first = pathOfOnly(folder);
    faulty.state = state;
    await assert.rejects(journal.append('during'));
    assert.equal(journal.isReady, false);
    await journal.repair();
    assert.equal(journal.isReady, false, 'it is still so');
    const size = statSync(first).size;
    await assert.rejects(journal.append('still'));
    faulty.state = 'well';
    await journal.repair();
    assert.equal(journal.isReady, true);
    await journal.append('after');
    assert.equal(statSync(first).size, size, 'the failed file is not written again');
    assert.equal(faulty.syncsAfterFailure, 0, 'a failed sync is not repeated');
    const left = await readLeft();
    assert.ok(left.includes('before') && left.includes('after'));
    assert.ok(!left.includes('still'));
  });
}

test('failed files do not pile up while the disk is full', async () => {
  const journal = await open();
  faulty.state = 'full';
  await assert.rejects(journal.append('during'));
  for (let tries = 0; tries < 20; tries += 1) await journal.repair();
  assert.deepEqual(listFiles(), []);
});

test('a full journal refuses records until some are confirmed', async () => {
  const journal = await open({ mostBytes: 1_000 });
  const receipt = await journal.append('x'.repeat(900));
  await assert.rejects(journal.append('y'.repeat(200)), JournalUnavailable);
  assert.equal(journal.isReady, true, 'the disk is well');
  receipt.confirm();
  await journal.append('y'.repeat(200));
  assert.deepEqual(await readLeft(), ['y'.repeat(200)]);
});

test('processes that share the folder lose no records, even if one starts while another writes', async () => {
  const journals: Journal[] = [await open()];
  const acknowledged = new Set<string>();
  const found = new Set<string>();
  const write = async (journal: Journal, name: string): Promise<void> => {
    for (let number = 0; number < 60; number += 1) {
      await journal.append(`${name} ${number}`);
      acknowledged.add(`${name} ${number}`);
    }
  };
  const starts = async (): Promise<void> => {
    for (let number = 0; number < 12; number += 1) {
      const journal = await open();
      for (const { text, confirm } of journal.takeLeftovers()) {
        found.add(text);
        confirm();
      }
      journals.push(journal);
      await write(journal, `later ${number}`);
    }
  };
  await Promise.all([...journals.map((journal) => write(journal, 'first')), starts()]);
  for (const text of await readLeft()) found.add(text);
  assert.deepEqual(
    [...acknowledged].filter((text) => !found.has(text)),
    [],
  );
});

test('a folder that cannot be used is reported with what to do', async () => {
  writeFileSync(folder, 'a file in its place');
  await assert.rejects(open(), /journal cannot be used .*--data-dir/);
});
