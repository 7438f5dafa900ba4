import type { Accounts, FileValues, ResourcePorts } from '#accounts';
import { perform } from '#accounts';
import type { Change, Refers, Subject } from './change.ts';
import { type EntrySection, findOwner, listFallbacks } from './entry-kind.ts';

/** What applying changes needs. */
interface ApplyPorts extends Omit<ResourcePorts, 'directory'> {
  accounts: Pick<Accounts, 'changeTogether'>;
  /** Interrupts it before the next change, so that none is made. */
  signal?: AbortSignal;
}

/** An applied change. */
export interface DoneChange {
  change: Change;
  /** The id of the subject. */
  id: string;
  /** The secret of a new key, which is not shown again. */
  secret?: string;
}

/** The change that failed; nothing was changed. */
export class ApplyFailed extends Error {
  readonly change: Change;

  constructor(change: Change, cause: unknown) {
    super('a change failed', { cause });
    this.name = 'ApplyFailed';
    this.change = change;
  }
}

/** Makes all changes or, if one fails or it is interrupted, none: then throws `ApplyFailed` or the signal's reason. */
export async function applyChanges(
  { accounts, signal, ...terms }: ApplyPorts,
  changes: readonly Change[],
): Promise<DoneChange[]> {
  const subjectIds = [...new Set(changes.flatMap(({ subject: { id } }) => id ?? []))];
  const current: { change?: Change } = {};
  try {
    return await accounts.changeTogether(subjectIds, async (directory) => {
      const applier = new Applier({ ...terms, directory });
      const done: DoneChange[] = [];
      for (const change of changes) {
        signal?.throwIfAborted();
        current.change = change;
        done.push(await applier.apply(change));
      }
      delete current.change;
      return done;
    });
  } catch (thrown) {
    signal?.throwIfAborted();
    throw current.change ? new ApplyFailed(current.change, thrown) : thrown;
  }
}

class Applier {
  readonly #ports: ResourcePorts;
  readonly #created = new Map<Subject, string>();

  constructor(ports: ResourcePorts) {
    this.#ports = ports;
  }

  async apply(change: Change): Promise<DoneChange> {
    const { subject } = change;
    switch (change.action) {
      case 'create': {
        const { kind, name, owner, settings, refers } = change;
        const input = {
          ...listFallbacks(kind.resource),
          [kind.name ?? 'name']: name,
          ...readInitial(kind.sections, this.#resolve(settings, refers)),
        };
        const created = await this.#run(kind, 'create', {
          input: { ...input, ...this.#toInput(kind, owner) },
        });
        const { id, secret } = created as { id: string; secret?: string };
        this.#created.set(subject, id);
        return { change, id, ...(secret !== undefined && { secret }) };
      }
      case 'set':
        await this.#set(change);
        break;
      case 'add': {
        const { kind, values } = change;
        await this.#run(kind, 'create', { input: { ...values, ...this.#toInput(kind, subject) } });
        break;
      }
      case 'remove':
        await this.#run(change.kind, 'remove', { id: change.id });
    }
    return { change, id: this.#getId(subject) };
  }

  async #set({ subject, section, member, to }: Extract<Change, { action: 'set' }>): Promise<void> {
    const values = section.isPart ? (to as FileValues) : { [member]: to };
    const fields = section.fields.filter(({ name }) => values[name] !== undefined);
    const input = Object.fromEntries(
      fields.map((each) => [each.member, each.spelling.read(values[each.name])]),
    );
    await this.#run(section, fields[0]?.operation ?? '', { id: this.#getId(subject), input });
  }

  async #run(
    { resource }: Pick<EntrySection, 'resource'>,
    operation: string,
    { id = '', input = {} }: { id?: string; input?: object },
  ): Promise<unknown> {
    return (await perform(resource, operation, { ...this.#ports, id, input, page: {} })).result;
  }

  /** With the ids of what they refer to. */
  #resolve(settings: FileValues, refers: Refers): FileValues {
    const resolved: FileValues = { ...settings };
    for (const [field, subject] of Object.entries(refers)) resolved[field] = this.#getId(subject);
    return resolved;
  }

  #toInput({ resource }: Pick<EntrySection, 'resource'>, owner: Subject | undefined): object {
    return owner ? findOwner(resource, owner.layer).toInput(this.#getId(owner)) : {};
  }

  #getId(subject: Subject): string {
    const id = subject.id ?? this.#created.get(subject);
    if (id === undefined) throw new Error(`${subject.title} was not created`);
    return id;
  }
}

function readInitial(sections: readonly EntrySection[], settings: FileValues): FileValues {
  const given = sections.flatMap(({ fields }) => fields.filter(({ name }) => settings[name] !== undefined));
  return Object.fromEntries(
    given.map(({ name, member, initial }) => [member, initial?.read(settings[name])]),
  );
}
