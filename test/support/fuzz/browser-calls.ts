import type { JsonObject } from '#base';
import { type Random, pick } from './damage.ts';

/** A request as a page of the dashboard, or somebody who pretends to be one, sends it. */
interface BrowserCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: JsonObject;
}

const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'x-sluice-dashboard': '1' };
const SIGN_INS: readonly JsonObject[] = [
  { link: 'x'.repeat(43) },
  { admin_key: `sk-admin-${'x'.repeat(40)}` },
  { link: 'x', admin_key: 'y' },
];
const COOKIES = [
  '__Host-sluice-session=x',
  'sluice-session=%00',
  '=; ;;=',
  'a'.repeat(4_000),
  `__Host-sluice-session=${'é'.repeat(40)}`,
];
const PAGES = [
  '/dashboard',
  '/dashboard/requests/req_1?x=1',
  '/dashboard/assets/index.js',
  '/dashboard/login',
  '/dashboard/callback?code=x&state=y',
  '/readyz',
  '/',
];

export function createBrowserCall(random: Random): BrowserCall {
  const cookie = random() < 0.3 && { cookie: Buffer.from(pick(random, COOKIES)).toString('latin1') };
  const headers = { authorization: '', ...(random() < 0.7 && OWN_PAGE), ...cookie };
  if (random() < 0.5) return { method: 'GET', path: pick(random, PAGES), headers };
  const path = '/admin/v1/session';
  const method = pick(random, ['POST', 'POST', 'GET', 'DELETE']);
  return { method, path, headers, ...(method === 'POST' && { body: pick(random, SIGN_INS) }) };
}
