import type { HttpHeaders } from '#base';
import type { Accounts, AdminCaller, Caller, AcceptedCredentials } from '#accounts';
import { readCredential } from '#accounts';

/** Looks up the caller by the one credential in the headers; throws at once if none has the form of one. */
export function identify(
  accounts: Accounts,
  headers: HttpHeaders,
  taking?: AcceptedCredentials,
): Caller | Promise<Caller> {
  return accounts.identify(readCredential(headers), taking);
}

/** Looks up the admin caller; the credential is read as on every other address. */
export function identifyAdmin(accounts: Accounts, headers: HttpHeaders): Promise<AdminCaller> {
  return accounts.administration.identify(readCredential(headers));
}
