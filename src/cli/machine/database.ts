import type { Command } from 'commander';
import type { MoveReport, StoreSettings } from '#app';
import {
  createCommandLog,
  encodeLedgerCheck,
  loadStoreSettings,
  moveDatabase,
  readDatabaseUrl,
  readSecretInput,
} from '#app';
import { formatUsd, formatCount } from '#base';
import { checkLedger, describeLedgerCheck } from '../records/check-ledger.ts';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { interruptible } from '../terminal/interruption.ts';
import { print, remark } from '../terminal/output.ts';
import { Misuse } from '../terminal/misuse.ts';

interface MoveCommandOptions extends CommonOptions {
  to: string;
}

export function createDatabaseCommand(): Command {
  return defineGroup('database', 'The database of the installation.', [createMove()]);
}

function createMove(): Command {
  return defineCommand({
    name: 'move',
    summary:
      'Copy the installation from its database to another, empty one, and compare every row. No gateway may run meanwhile. ' +
      'The old database stays as it is. An interrupted move is continued by running it again.',
    examples: ['database move --to env:NEW_DATABASE_URL', 'database move --to embedded'],
  })
    .requiredOption(
      '--to <database>',
      'an address postgres://…, env:NAME for a variable with one (which other users of the machine cannot see), or "embedded"',
    )
    .action(async (options: MoveCommandOptions) => {
      const from = loadStoreSettings(toOrigin(options));
      const to = await readTarget(from, options.to);
      const { report, books } = await interruptible(async (signal) => ({
        report: await moveDatabase({ from, to, log: createCommandLog(), onProgress: remark, signal }),
        books: await checkLedger(to, signal),
      }));
      if (books.differences.length > 0) process.exitCode = 1;
      print(options, { ...encodeMove(report), ledger: encodeLedgerCheck(books) }, () => [
        ...describeMove(report),
        ...describeLedgerCheck(books),
        to.databaseUrl === undefined
          ? 'start the gateway without DATABASE_URL'
          : 'set DATABASE_URL to the new database before you start the gateway',
      ]);
    });
}

const usd = (pico: string): string => formatUsd(BigInt(pico));

function encodeMove({ books, ...report }: MoveReport): object {
  const { requests, charged, granted, held } = books;
  return { ...report, books: { requests, charged: usd(charged), granted: usd(granted), held: usd(held) } };
}

function describeMove({ from, to, rows, books }: MoveReport): string[] {
  return [
    `moved: ${formatCount(rows, 'row')} from ${from} to ${to}`,
    `on both sides: ${formatCount(books.requests, 'request')}, ${usd(books.charged)} USD charged, ${usd(books.granted)} USD granted, ` +
      `${usd(books.held)} USD held, and every row the same`,
  ];
}

async function readTarget(
  { databaseUrl, ...settings }: StoreSettings,
  place: string,
): Promise<StoreSettings> {
  if (place === 'embedded') {
    if (databaseUrl !== undefined) return settings;
    throw new Error(
      'the database is the embedded one already; set DATABASE_URL to the one it is to be moved from',
    );
  }
  const [, name] = /^env:(\w+)$/.exec(place) ?? [];
  const text = name === undefined ? place : await readSecretInput({ keyEnv: name });
  const url = readDatabaseUrl(text ?? '');
  if (url === undefined)
    throw new Misuse(
      `${name === undefined ? '--to' : `the variable ${name}`} is not an address such as postgres://user:password@host:5432/sluice`,
    );
  if (url === databaseUrl)
    throw new Error('--to is the database that the installation uses already; name another');
  return { ...settings, databaseUrl: url };
}
