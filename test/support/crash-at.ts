import files from 'node:fs/promises';
import { ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Pool } from 'undici';
import { LeasedRequests } from '../../src/accounts/ledger/requests/leased-requests.ts';
import { LedgerStore } from '../../src/accounts/ledger/store/ledger-store.ts';
import { RunningLedger } from '../../src/accounts/ledger/running-ledger.ts';
import { Journal } from '../../src/storage/journal/journal.ts';
import { CRASH_POINTS, type CrashPoint } from './crash-points.ts';

/** Loaded before the program: kills this process at a named point of a request's path. The program is unaware of it. */
const [point = '', pass = '1'] = (process.env['CRASH_AT'] ?? '').split(':');
if (!CRASH_POINTS.includes(point as CrashPoint)) throw new Error(`CRASH_AT names no crash point: ${point}`);

let left = Number(pass);

function reach(reached: CrashPoint): void {
  if (reached !== point) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

type Method<Self> = (this: Self, ...values: never[]) => unknown;

interface Around {
  before?: CrashPoint;
  /** While the started work is still in progress. */
  during?: CrashPoint;
  /** It is done; a method that returns undefined did nothing. */
  after?: CrashPoint;
}

/** Puts points around a method. */
function mark<Self extends object>(
  prototype: Self,
  name: keyof Self,
  { before, during, after }: Around,
): void {
  const original = prototype[name] as Method<Self>;
  const marked: Method<Self> = function (this: Self, ...values) {
    if (before) reach(before);
    const result = original.apply(this, values);
    if (during) setTimeout(reach, Math.random() * 2, during);
    if (!after || result === undefined) return result;
    if (result instanceof Promise)
      return result.then((value: unknown) => {
        reach(after);
        return value;
      });
    reach(after);
    return result;
  };
  Object.assign(prototype, { [name]: marked });
}

mark(LedgerStore.prototype, 'reserve', { during: 'hold-sent' });
mark(RunningLedger.prototype, 'reserve', { before: 'before-hold', after: 'hold-committed' });
mark(Pool.prototype, 'dispatch', { after: 'dispatched' });
mark(ServerResponse.prototype, 'write', { after: 'mid-stream' });
mark(RunningLedger.prototype, 'settle', { before: 'before-settle', after: 'settled' });
mark(LeasedRequests.prototype, 'settle', { after: 'settled-on-lease' });
mark(LedgerStore.prototype, 'settle', { during: 'settle-sent' });
mark(ServerResponse.prototype, 'end', { after: 'final-byte-sent' });
mark(Journal.prototype, 'append', { during: 'journal-written', after: 'journal-synced' });
mark(LedgerStore.prototype, 'report', { during: 'report-sent', after: 'reported' });
mark(LedgerStore.prototype, 'settleEncoded', { after: 'journal-replayed' });

const { rm, rename } = files;
files.rm = async (path, options) => {
  if (String(path).endsWith('.journal')) reach('journal-confirmed');
  return rm(path, options);
};
files.rename = async (from, to) => {
  await rename(from, to);
  if (String(to).endsWith('.journal')) reach('journal-claimed');
};
syncBuiltinESMExports();
