import { test } from 'node:test';
import type { ClientFormatId } from '#canonical';
import type { ErrorCode } from '#errors';
import type { InProcessGateway } from './in-process.ts';
import { assertRefusal } from './refusal.ts';

/** An endpoint for regular keys that reads one table. */
interface KeyedSurface {
  gateway(): InProcessGateway;
  format: ClientFormatId;
  /** Requests something that does not exist, or that everyone may see. */
  ask(headers?: Record<string, string>): Promise<Response>;
  table: string;
}

/** Tests the refusals common to all such endpoints. */
export function proveKeyRefusals({ gateway: open, format, ask, table }: KeyedSurface): void {
  const refused = (response: Response, status: number, code: ErrorCode) =>
    assertRefusal(response, { format, status, code });

  test('401: no key', async () => {
    await refused(await ask({ authorization: '' }), 401, 'missing_credential');
  });

  test('403: a credential that is no regular key', async () => {
    const { secret } = await open().accounts.directory.createAdminKey({ label: 'admin' });
    await refused(await ask({ authorization: `Bearer ${secret}` }), 403, 'wrong_credential');
  });

  test('500: a fault of the gateway, with details only for the operator', async () => {
    await refused(await open().withoutTable(table, () => ask()), 500, 'internal_error');
  });

  test('503: the database is unavailable', async () => {
    await ask(); // the key is known from here on
    open().line.cut();
    await refused(await ask(), 503, 'store_unavailable');
  });
}
