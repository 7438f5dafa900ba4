import type { HttpHeaders, JsonObject, JsonValue } from '#base';
import type { LogNames } from '#logs';
import { isJsonObject, toStorableText } from '#base';
import { readClaudeUser } from './claude-user.ts';
import {
  CLIENTS,
  CLIENT_HEADER,
  LIMITS,
  NAME_HEADERS,
  NAME_MEMBERS,
  NOT_TAGS,
  type Name,
  PARENT_SESSION_HEADER,
  TAGS_HEADERS,
  TAG_LIST,
  TAG_MEMBERS,
  TITLE_HEADERS,
} from './client-rules.ts';

const NAMES = Object.keys(NAME_HEADERS) as Name[];
/** `product/version`, or `product/language version` or `product/package/version` of an SDK. */
const PRODUCT = /^([\w.-]+)\/([\w.+-]+)(?:[ /]([\w.+-]+))?/;
const PLAIN = /^[\x20-\x7e]*$/;
const NOT_LATIN = /[\x80-\xff]/;
/** Control characters, and those that change the direction of text on a terminal. */
const UNSAFE = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** The client, session, agent, turn, end user and tags that a request names, by the rules of `client-rules.ts`. */
export function readNames(headers: HttpHeaders, body?: JsonObject): LogNames {
  const names: LogNames = {};
  for (const name of NAMES) {
    const value = readHeader(headers, NAME_HEADERS[name]) ?? (body && readMember(body, NAME_MEMBERS[name]));
    if (value !== undefined) addName(names, name, value);
  }
  settleAgents(names, headers);
  addClient(names, headers);
  const tags = readTags(headers, body);
  if (tags) names.tags = tags;
  return names;
}

function readHeader(headers: HttpHeaders, places: readonly string[]): string | undefined {
  for (const place of places) {
    const value = headers[place];
    if (value === undefined) continue;
    const text = typeof value === 'string' ? value : value[0];
    if (text !== undefined && text !== '') return decodeHeader(text);
  }
  return undefined;
}

/** Node reads headers as Latin-1; clients write UTF-8. */
function decodeHeader(text: string): string {
  if (!NOT_LATIN.test(text)) return text;
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.includes('\uFFFD') ? text : decoded;
}

function readMember(body: JsonObject, paths: readonly (readonly string[])[] = []): string | undefined {
  for (const [first = '', second] of paths) {
    const outer: JsonValue | undefined = body[first];
    const value = second === undefined ? outer : isJsonObject(outer) ? outer[second] : undefined;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** Text that can be stored and printed, of a bounded length. */
function cleanText(text: string, longest: number): string {
  // Bounded before it is searched: a member of a body may be megabytes.
  const short = text.length > longest * 4 ? text.slice(0, longest * 4) : text;
  const clean = PLAIN.test(short) ? short : toStorableText(short.replaceAll(UNSAFE, ''));
  const trimmed = clean.trim();
  return trimmed.length > longest ? toStorableText(trimmed.slice(0, longest)) : trimmed;
}

/** Claude Code packs its account, its device and its session into `metadata.user_id`. */
function addName(names: LogNames, name: Name, value: string): void {
  const user = name === 'endUserId' ? readClaudeUser(value) : undefined;
  if (user?.sessionId !== undefined && names.sessionId === undefined)
    addName(names, 'sessionId', user.sessionId);
  const own = user ? (user.endUserId ?? '') : value;
  const text = cleanText(own, name === 'sessionId' ? LIMITS.session : LIMITS.name);
  if (text !== '') names[name] = text;
}

/** Removes the names of the main agent: an agent's id or a parent that is the id of the session. */
function settleAgents(names: LogNames, headers: HttpHeaders): void {
  const parent = readHeader(headers, [PARENT_SESSION_HEADER]);
  const parentSession = parent === undefined ? '' : cleanText(parent, LIMITS.session);
  if (parentSession !== '' && names.sessionId !== undefined && names.agentId === undefined) {
    names.agentId = names.sessionId;
    names.sessionId = parentSession;
  }
  if (names.agentId !== undefined && names.agentId === names.sessionId) delete names.agentId;
  if (names.parentAgentId === undefined) return;
  if (names.parentAgentId === names.sessionId || names.agentId === undefined) delete names.parentAgentId;
}

/** The title is that of the application, where the `user-agent` may be that of a library. */
function addClient(names: LogNames, headers: HttpHeaders): void {
  const named = readHeader(headers, [CLIENT_HEADER]);
  const title = named === undefined ? readTitle(headers) : undefined;
  const product = readProduct(named ?? readHeader(headers, ['user-agent']));
  if (product && (title ?? product.name) === product.name) {
    names.clientName = product.name;
    names.clientVersion = product.version;
  } else if (title !== undefined) names.clientName = title;
}

/** `Roo Code` is `roo-code`. */
function readTitle(headers: HttpHeaders): string | undefined {
  const title = readHeader(headers, TITLE_HEADERS);
  const name =
    title === undefined ? '' : cleanText(title, LIMITS.client).toLowerCase().replaceAll(/\s+/g, '-');
  return name === '' ? undefined : nameClient(name);
}

function readProduct(text: string | undefined): { name: string; version: string } | undefined {
  const match = text === undefined ? null : PRODUCT.exec(text);
  if (!match) return undefined;
  const [, product = '', second = '', third] = match;
  const isVersion = /^v?\d/.test(second);
  const name = (isVersion || third === undefined ? product : `${product}-${second}`).toLowerCase();
  const version = isVersion || third === undefined ? second : third;
  return { name: nameClient(name), version: version.slice(0, LIMITS.client) };
}

function nameClient(product: string): string {
  const name = Object.hasOwn(CLIENTS, product) ? CLIENTS[product] : undefined;
  return (name ?? product).slice(0, LIMITS.client);
}

function readTags(headers: HttpHeaders, body: JsonObject | undefined): LogNames['tags'] {
  const tags = new Tags();
  const header = readHeader(headers, TAGS_HEADERS);
  if (header !== undefined) tags.addList(header.slice(0, LIMITS.tagsLength).split(','));
  if (!body) return tags.list;
  tags.addList(body[TAG_LIST]);
  for (const member of TAG_MEMBERS) tags.addAll(body[member]);
  return tags.list;
}

/** Tags of one request, until there are enough. The first value of a key counts. */
class Tags {
  list: Record<string, string> | undefined;
  #count = 0;
  #length = 0;

  addAll(value: JsonValue | undefined): void {
    if (!isJsonObject(value)) return;
    let seen = 0;
    for (const key in value) {
      seen += 1;
      if (this.#isFull || seen > LIMITS.tags * 2) return;
      const text = value[key];
      if (key === TAG_LIST) this.addList(text);
      if (typeof text === 'string' && !NOT_TAGS.has(key)) this.add(key, text);
    }
  }

  /** `name=value`, or a name alone. */
  addList(value: JsonValue | undefined): void {
    if (!Array.isArray(value)) return;
    for (const part of value.slice(0, LIMITS.tags * 2)) {
      if (typeof part !== 'string') continue;
      const at = part.indexOf('=');
      if (at === -1) this.add(part, '');
      else this.add(part.slice(0, at), part.slice(at + 1));
    }
  }

  get #isFull(): boolean {
    return this.#count >= LIMITS.tags || this.#length > LIMITS.tagsLength;
  }

  add(key: string, value: string): void {
    const name = cleanText(key, LIMITS.tagKey);
    const text = cleanText(value, LIMITS.tagValue);
    if (name === '' || name === '__proto__' || this.#isFull) return;
    this.list ??= {};
    if (Object.hasOwn(this.list, name)) return;
    this.#length += name.length + text.length;
    if (this.#length > LIMITS.tagsLength) return;
    this.list[name] = text;
    this.#count += 1;
  }
}
