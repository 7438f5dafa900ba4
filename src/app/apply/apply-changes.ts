import type {
  Accounts,
  Directory,
  PlanCatalogue,
  RateLimitChange,
  RateLimits,
  RecurringLimit,
} from '#accounts';
import { parseUsd } from '#base';
import type { Change, Creation, Setting, Subject } from './change.ts';
import { NONE } from './manifest.ts';

/** Where changes are made. */
interface ApplyPorts {
  accounts: Pick<Accounts, 'changeTogether'>;
  /** At which terms organizations are subscribed; needed where a change sets a plan. */
  plans: PlanCatalogue | undefined;
}

/** A change that was made. */
export interface DoneChange {
  change: Change;
  /** Of the subject. */
  id: string;
  /** The text of a new key, which comes this once. */
  secret?: string;
}

/** The change that an apply came to grief at; nothing of it was made. */
export class ApplyFailed extends Error {
  readonly change: Change;

  constructor(change: Change, cause: unknown) {
    super('a change could not be made', { cause });
    this.name = 'ApplyFailed';
    this.change = change;
  }
}

/** Makes all changes or, where one fails, none: then throws `ApplyFailed`. */
export async function applyChanges(
  { accounts, plans }: ApplyPorts,
  changes: readonly Change[],
): Promise<DoneChange[]> {
  const subjectIds = [...new Set(changes.flatMap(({ subject: { id } }) => id ?? []))];
  const current: { change?: Change } = {};
  try {
    return await accounts.changeTogether(subjectIds, async (directory) => {
      const applier = new Applier({ directory, plans });
      const done: DoneChange[] = [];
      for (const change of changes) {
        current.change = change;
        done.push(await applier.apply(change));
      }
      delete current.change;
      return done;
    });
  } catch (thrown) {
    throw current.change ? new ApplyFailed(current.change, thrown) : thrown;
  }
}

interface ApplierPorts {
  directory: Directory;
  plans: PlanCatalogue | undefined;
}

class Applier {
  readonly #ports: ApplierPorts;
  readonly #made = new Map<Subject, string>();

  constructor(ports: ApplierPorts) {
    this.#ports = ports;
  }

  async apply(change: Change): Promise<DoneChange> {
    const { directory } = this.#ports;
    const { subject } = change;
    switch (change.action) {
      case 'create': {
        const made = await this.#create(change.creation);
        this.#made.set(subject, made.id);
        return { change, ...made };
      }
      case 'set':
        await this.#set(this.#getId(subject), subject, change);
        break;
      case 'addRule':
        await directory.addRule({ layer: subject.layer, subjectId: this.#getId(subject), ...change.rule });
        break;
      case 'removeRule':
        await directory.removeRule(change.ruleId);
    }
    return { change, id: this.#getId(subject) };
  }

  async #create(creation: Creation): Promise<{ id: string; secret?: string }> {
    const { directory } = this.#ports;
    if (creation.layer === 'organization') return pickId(await directory.createOrganization(creation.name));
    if (creation.layer === 'project') {
      const organizationId = this.#getId(creation.organization);
      return pickId(await directory.createProject({ organizationId, name: creation.name }));
    }
    const { label, member, rateLimits } = creation;
    const limit = toAmount(creation.limit);
    const recurringLimit = toRecurringLimit(creation.recurringLimit);
    const expiresAt = toMoment(creation.expiresAt);
    const { key, secret } = await directory.createKey({
      projectId: this.#getId(creation.project),
      label,
      ...(member !== undefined && { memberId: member }),
      ...(limit !== null && { limit }),
      ...(recurringLimit && { recurringLimit }),
      ...(expiresAt !== null && { expiresAt }),
      ...(rateLimits && { rateLimits }),
    });
    return { id: key.id, secret };
  }

  async #set(id: string, { layer }: Subject, setting: Setting): Promise<unknown> {
    const { directory } = this.#ports;
    switch (setting.member) {
      case 'plan':
        return this.#setPlan(id, setting.to);
      case 'rateLimits':
        return layer === 'key'
          ? directory.setKeyRateLimits(id, toRateLimitChange(setting.to))
          : directory.setOrganizationRateLimits(id, toRateLimitChange(setting.to));
      case 'cacheTtlSeconds':
        return directory.setCacheTtl({ projectId: id, ttlSeconds: setting.to || null });
      case 'payloadDays':
        return directory.setPayloadDays({ projectId: id, days: setting.to || null });
      case 'limit':
        return directory.setKeyLimit(id, toAmount(setting.to));
      case 'recurringLimit':
        return directory.setRecurringLimit(id, toRecurringLimit(setting.to));
      case 'expiresAt':
        return directory.setKeyExpiry(id, toMoment(setting.to));
      case 'disabled':
        return setting.to ? directory.disableKey(id) : directory.enableKey(id);
    }
  }

  async #setPlan(
    organizationId: string,
    { plan, overflow }: Extract<Setting, { member: 'plan' }>['to'],
  ): Promise<unknown> {
    const { directory, plans } = this.#ports;
    if (plan === NONE) return directory.endPlan(organizationId);
    if (!plans) throw new Error('the terms of plans are not known');
    const terms = plans[plan];
    return directory.setPlan({ organizationId, plan, terms, ...(overflow !== undefined && { overflow }) });
  }

  #getId(subject: Subject): string {
    const id = subject.id ?? this.#made.get(subject);
    if (id === undefined) throw new Error(`${subject.title} was not made`);
    return id;
  }
}

function pickId({ id }: { id: string }): { id: string } {
  return { id };
}

function toAmount(text: string = NONE): bigint | null {
  return text === NONE ? null : getAmount(text);
}

function toRecurringLimit(text: string = NONE): RecurringLimit | null {
  if (text === NONE) return null;
  const [amount = '', period] = text.split('/');
  return { amount: getAmount(amount), period: period as RecurringLimit['period'] };
}

/** Throws rather than to take what it cannot read for no limit. */
function getAmount(text: string): bigint {
  const amount = parseUsd(text);
  if (amount === undefined) throw new Error(`"${text}" is no amount of USD`);
  return amount;
}

function toMoment(text: string = NONE): number | null {
  return text === NONE ? null : Date.parse(text);
}

/** What is absent is taken away. */
function toRateLimitChange(limits: RateLimits): RateLimitChange {
  const { requestsPerMinute = null, tokensPerMinute = null, concurrency = null } = limits;
  return { requestsPerMinute, tokensPerMinute, concurrency };
}
