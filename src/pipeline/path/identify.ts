import type { Accounts, AdminCaller, Caller, Taking } from '#accounts';
import type { RequestHeaders } from '#wire';
import { readCredential } from '#accounts';

/** Finds who calls, from the one credential the headers carry; throws at once where there is none that could be looked up. */
export function identify(
  accounts: Accounts,
  headers: RequestHeaders,
  taking?: Taking,
): Caller | Promise<Caller> {
  return accounts.identify(readCredential(headers), taking);
}

/** Finds who administers; the credential is read as on every other address. */
export function identifyAdmin(accounts: Accounts, headers: RequestHeaders): Promise<AdminCaller> {
  return accounts.administration.identify(readCredential(headers));
}
