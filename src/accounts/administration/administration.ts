import type { AdminCaller } from '../admin-key.ts';
import { type ChangePorts, changeTogether } from '../change-together.ts';
import { type OperationResult, perform } from '../resource/codec.ts';
import type { OperationCall, Resource } from '../resource/resource.ts';
import type { Directory, ResourcePorts } from '../resources.ts';
import { setActor } from '../set-actor.ts';
import { bindResource } from './bind-resource.ts';
import { IdempotentAnswers, type Repeatable } from './idempotent-answers.ts';
import type { Seal } from '../secrets/seal-answer.ts';

/** The response to a change. */
interface ChangeAnswer {
  text: string;
  /** Whether it is the stored response of an earlier request with the same idempotency key. */
  isReplay: boolean;
}

interface ChangeRequest {
  caller: AdminCaller;
  requestId: string;
  /** The idempotency key of the request, if it has one. */
  repeatable?: Repeatable;
}

/** Runs an operation of a resource for an admin key. */
export type Perform = (
  resource: Resource<ResourcePorts>,
  operation: string,
  call: Omit<OperationCall<ResourcePorts>, 'directory' | 'caller'>,
) => Promise<OperationResult>;

/** How admin keys read and change resources: restricted to their organization, audited, and idempotent. */
export interface Administration {
  /** Identifies an admin key; throws `invalid_credential`, `wrong_credential` or `store_unavailable`. */
  identify(credential: string): Promise<AdminCaller>;
  /** Runs reads for the caller. */
  read(caller: AdminCaller): Perform;
  /**
   * Runs a change in one transaction with its audit rows and the response for repeated requests. `work` runs again if the
   * database requires a retry. A refused change leaves nothing behind.
   */
  change(request: ChangeRequest, work: (perform: Perform) => Promise<string>): Promise<ChangeAnswer>;
}

interface AdministrationPorts extends ChangePorts {
  seal: Seal;
  resources: readonly Resource<ResourcePorts>[];
  identify: Administration['identify'];
}

export function createAdministration(ports: AdministrationPorts): Administration {
  const { database, seal, resources } = ports;
  const open = (directory: Directory, caller: AdminCaller): Perform => {
    const { organizationId, memberId } = caller;
    const binding = { resources, ...(memberId !== undefined && { memberId }) };
    return (resource, operation, call) =>
      perform(
        organizationId === undefined ? resource : bindResource(resource, { ...binding, organizationId }),
        operation,
        { ...call, directory, caller },
      );
  };
  return {
    identify: (credential) => ports.identify(credential),
    read: (caller) => open(ports.openDirectory(database, ports.onChange), caller),
    change: async ({ caller, requestId, repeatable }, work) => {
      const place = repeatable && { ...repeatable, actorId: caller.actorId };
      return changeTogether<ChangeAnswer>(ports, async (directory, client) => {
        await setActor(client, { actorId: caller.actorId, requestId, person: caller.person });
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
