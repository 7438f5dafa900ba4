import type { AdminCaller } from '../admin-key.ts';
import { type ChangePorts, changeTogether } from '../change-together.ts';
import { type Answered, perform } from '../resource/codec.ts';
import type { OperationCall, Resource } from '../resource/resource.ts';
import type { Directory, ResourcePorts } from '../resources.ts';
import { bindResource } from './bind-resource.ts';
import { IdempotentAnswers, type Repeatable } from './idempotent-answers.ts';
import type { Seal } from './seal-answer.ts';

/** What came of a change. */
interface ChangeAnswer {
  text: string;
  /** Given before, under the same idempotency key. */
  isReplay: boolean;
}

interface ChangeRequest {
  caller: AdminCaller;
  requestId: string;
  /** Where the client named the request, so that it may be sent again. */
  repeatable?: Repeatable;
}

/** Does an operation of a resource for an admin key. */
export type Perform = (
  resource: Resource<ResourcePorts>,
  operation: string,
  call: Omit<OperationCall<ResourcePorts>, 'directory' | 'caller'>,
) => Promise<Answered>;

/** Resources as admin keys see and change them: bound, audited, and each change made once. */
export interface Administration {
  /** Whose admin key this is; throws `invalid_credential`, `wrong_credential` or `store_unavailable`. */
  identify(credential: string): Promise<AdminCaller>;
  /** What the caller may look at. */
  read(caller: AdminCaller): Perform;
  /**
   * Runs a change all or nothing, in one transaction with its audit rows and the answer that a repetition gets. `work` may
   * be run again where the database asks for another try. A refused change leaves nothing behind.
   */
  change(request: ChangeRequest, work: (perform: Perform) => Promise<string>): Promise<ChangeAnswer>;
}

interface AdministrationPorts extends ChangePorts {
  seal: Seal;
  resources: readonly Resource<ResourcePorts>[];
  identify: Administration['identify'];
}

const SET_ACTOR = `SELECT set_config('sluice.actor', $1, true), set_config('sluice.request_id', $2, true)`;

export function createAdministration(ports: AdministrationPorts): Administration {
  const { database, seal, resources } = ports;
  const open = (directory: Directory, caller: AdminCaller): Perform => {
    const { organizationId } = caller;
    return (resource, operation, call) =>
      perform(
        organizationId === undefined ? resource : bindResource(resource, { organizationId, resources }),
        operation,
        { ...call, directory, caller },
      );
  };
  return {
    identify: (credential) => ports.identify(credential),
    read: (caller) => open(ports.openDirectory(database, ports.onChange), caller),
    change: async ({ caller, requestId, repeatable }, work) => {
      const place = repeatable && { ...repeatable, adminKeyId: caller.adminKeyId };
      return changeTogether<ChangeAnswer>(ports, async (directory, client) => {
        await client.query({ text: SET_ACTOR, values: [caller.adminKeyId, requestId] });
        const answers = new IdempotentAnswers(client, seal);
        const known = place && (await answers.find(place));
        if (known !== undefined) return { text: known, isReplay: true };
        const text = await work(open(directory, caller));
        if (place) await answers.keep(place, text);
        return { text, isReplay: false };
      });
    },
  };
}
