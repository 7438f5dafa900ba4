import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { AccountObject, NamedModel, References, UnknownTool } from '#canonical';
import { createParamError, type GatewayError } from '#errors';
import { isAccountAddress, isAccountFile } from './account-address.ts';
import { objectOf } from '../body/read-answer.ts';
import type { Members } from '../body/unchecked.ts';
import { OPAQUE, type Role, findRole, isIdList, mayRefer } from './member-roles.ts';

/** Where the bodies of a format contain references. */
interface Places {
  /** Members with conversation content: text and media. */
  conversation: readonly string[];
  /** Sent members that control the answer. */
  settings: readonly string[];
  /** Known tool types of this format. */
  tools: RegExp;
  /** Whether the member name identifies a tool, as in Gemini. */
  areToolsMembers?: true;
  /** The notation of list positions: `messages.0` or `messages[0]`. */
  style: 'dots' | 'brackets';
}

/** A request with more is refused; all are looked up in one statement. */
const MOST_OBJECTS = 1_000;
const MOST_MODELS = 16;
/** A longer member name is shortened in messages. */
const MOST_NAME = 64;
/** Members that define tools wherever they occur. */
const TOOL_MEMBERS: ReadonlySet<string> = new Set(['tools', 'tool', 'tool_changes']);
const IMAGE_TOOL = 'image_generation';
const IMAGE_CALL = 'image_generation_call';
/** The name that leaves the choice to the provider. */
const DEFAULT = 'default';
/** OpenAI's public connectors; the caller's token determines whose data they read. */
const PUBLIC_CONNECTOR =
  /^connector_(?:dropbox|gmail|google(?:calendar|drive)|microsoftteams|outlook(?:calendar|email)|sharepoint)$/;

/** Members that decide what an object of a body refers to. */
type Owner = Members<{
  type: string;
  id: string;
  model: string;
  result: string;
  authorization: string;
}>;

/** Finds a body's references. Looks at the names of members, never at text. */
export function listReferences(body: JsonObject, places: Places): References {
  const search = new Search(places);
  for (const name of places.conversation) search.read(body, name, false);
  for (const name of places.settings) search.read(body, name, true);
  return search.found;
}

class Search {
  readonly #places: Places;
  readonly #steps: (string | number)[] = [];
  #models: Map<string, NamedModel> | undefined;
  #objects: Map<string, AccountObject> | undefined;
  readonly #tools: UnknownTool[] = [];
  /** Whether the current member defines tools or controls the answer: only there is `model` a model to be called. */
  #isSetting = false;

  constructor(places: Places) {
    this.#places = places;
  }

  get found(): References {
    const found: References = {};
    if (this.#models) found.otherModels = [...this.#models.values()];
    if (this.#objects) found.accountObjects = [...this.#objects.values()];
    if (this.#tools.length > 0) found.unknownTools = this.#tools;
    return found;
  }

  read(body: JsonObject, name: string, isSetting: boolean): void {
    const value = body[name];
    if (value === undefined || value === null) return;
    this.#isSetting = isSetting;
    if (typeof value === 'string' && name !== 'fallbacks') {
      this.#readText(name, value, body);
      return;
    }
    this.#steps.push(name);
    if (name === 'fallbacks') this.#readFallbacks(value);
    else this.#descend(value);
    this.#steps.pop();
  }

  /** A list of models, or one word that leaves the choice to the provider. */
  #readFallbacks(value: JsonValue): void {
    if (typeof value === 'string') this.#addModel(value);
    else if (Array.isArray(value)) value.forEach((item, at) => this.#readFallback(item, at));
  }

  #readFallback(item: JsonValue, at: number): void {
    const owner: Owner = objectOf(item);
    const name = isJsonObject(item) ? owner.model : item;
    this.#steps.push(at);
    if (isJsonObject(item)) this.#steps.push('model');
    this.#addModel(typeof name === 'string' ? name : DEFAULT);
    if (isJsonObject(item)) this.#steps.pop();
    this.#steps.pop();
  }

  #descend(value: JsonValue): void {
    if (Array.isArray(value)) this.#readList(value);
    else if (isJsonObject(value)) this.#readObject(value);
  }

  #readList(list: readonly JsonValue[]): void {
    for (let at = 0; at < list.length; at += 1) {
      const item = list[at] as JsonValue;
      if (typeof item === 'string' ? !isIdList(this.#holder) : item === null || typeof item !== 'object')
        continue;
      this.#steps.push(at);
      if (typeof item === 'string') this.#addObject(item);
      else this.#descend(item);
      this.#steps.pop();
    }
  }

  /** `for … in`, because V8 reads members found by `Object.keys` half as fast. */
  #readObject(owner: JsonObject): void {
    if (this.#isSetting) this.#readTool(owner);
    for (const name in owner) {
      const value = owner[name];
      if (typeof value === 'string') {
        if (value === IMAGE_TOOL || value === IMAGE_CALL) this.#readImage(owner);
        if (mayRefer(name)) this.#readText(name, value, owner);
      } else if (typeof value === 'object' && value !== null && !OPAQUE.has(name)) {
        this.#readMember(name, value);
      }
    }
  }

  #readMember(name: string, value: JsonValue): void {
    const wasSetting = this.#isSetting;
    this.#isSetting = wasSetting || TOOL_MEMBERS.has(name);
    this.#steps.push(name);
    this.#descend(value);
    this.#steps.pop();
    this.#isSetting = wasSetting;
  }

  /** References by an object's type instead of one of its members. */
  #readImage({ type, model, result, id }: Owner): void {
    if (type === IMAGE_TOOL && this.#isSetting && typeof model !== 'string')
      this.#at('model', () => this.#addModel(DEFAULT));
    // OpenAI looks an image up by id if the item does not contain it.
    if (type === IMAGE_CALL && !result && typeof id === 'string') this.#at('id', () => this.#addObject(id));
  }

  #readTool(owner: Owner): void {
    const holder = this.#holder;
    if (holder !== 'tools' && holder !== 'definition') return;
    const { tools, areToolsMembers } = this.#places;
    if (areToolsMembers) {
      for (const name of Object.keys(owner)) if (!tools.test(name)) this.#at(name, () => this.#addTool(name));
    } else if (typeof owner.type === 'string' && !tools.test(owner.type)) {
      this.#addTool(owner.type);
    }
  }

  #readText(name: string, text: string, owner: Owner): void {
    const role = findRole(name, this.#holder);
    if (!role || text === '' || !this.#refers(role, text, owner)) return;
    this.#steps.push(name);
    if (role === 'model') this.#addModel(text);
    else this.#addObject(text, role);
    this.#steps.pop();
  }

  #refers(role: Role, text: string, { type, authorization }: Owner): boolean {
    switch (role) {
      case 'model':
        return this.#isSetting;
      case 'address':
        return isAccountAddress(text);
      case 'file':
        return isAccountFile(text);
      case 'skill':
        return type !== 'anthropic';
      case 'connector':
        return !PUBLIC_CONNECTOR.test(text) || !authorization;
      case 'object':
      case 'spare':
      case 'conversation':
        return true;
    }
  }

  /** The member that contains the current object or list; positions do not count. */
  get #holder(): string {
    for (let at = this.#steps.length - 1; at >= 0; at -= 1) {
      const step = this.#steps[at];
      if (typeof step === 'string') return step;
    }
    return '';
  }

  #at(step: string, act: () => void): void {
    this.#steps.push(step);
    act();
    this.#steps.pop();
  }

  #addModel(name: string): void {
    const models = (this.#models ??= new Map());
    if (models.has(name)) return;
    if (models.size >= MOST_MODELS) throw this.#toTooMany(`${MOST_MODELS} other models`);
    models.set(name, { name, path: this.#path });
  }

  #addObject(name: string, role: Role = 'object'): void {
    const objects = (this.#objects ??= new Map());
    if (objects.has(name)) return;
    if (objects.size >= MOST_OBJECTS) throw this.#toTooMany(`${MOST_OBJECTS} files and other objects`);
    const object: AccountObject = { name, path: this.#path };
    if (role === 'spare') object.isSpare = true;
    if (role === 'conversation') object.isConversation = true;
    if (role === 'address' || role === 'file') object.isAddress = true;
    objects.set(name, object);
  }

  #addTool(name: string): void {
    if (this.#tools.length < MOST_MODELS) this.#tools.push({ name, path: this.#path });
  }

  #toTooMany(what: string): GatewayError {
    return createParamError(this.#path, `a request may name at most ${what}`);
  }

  get #path(): string {
    const inBrackets = this.#places.style === 'brackets';
    return this.#steps
      .map((step, at) => {
        if (typeof step === 'number') return inBrackets ? `[${step}]` : `.${step}`;
        const name = step.slice(0, MOST_NAME);
        return at === 0 ? name : `.${name}`;
      })
      .join('');
  }
}
