import { GatewayError } from '#errors';
import { type AdminCaller, hasScope } from '../admin-key.ts';
import { type ChangePorts, changeTogether } from '../change-together.ts';
import type { Directory } from '../organizations/directory.ts';
import { bindDirectory } from './bound-directory.ts';
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

/** The account tree as admin keys see and change it: bound, audited, and each change made once. */
export interface Administration {
  /** Whose admin key this is; throws `invalid_credential`, `wrong_credential` or `store_unavailable`. */
  identify(credential: string): Promise<AdminCaller>;
  /** What the caller may look at. */
  read(caller: AdminCaller): Directory;
  /**
   * Runs a change all or nothing, in one transaction with its audit rows and the answer that a repetition gets. `work` may
   * be run again where the database asks for another try. A refused change leaves nothing behind.
   */
  change(request: ChangeRequest, work: (directory: Directory) => Promise<string>): Promise<ChangeAnswer>;
}

interface AdministrationPorts extends ChangePorts {
  seal: Seal;
  identify: Administration['identify'];
}

const SET_ACTOR = `SELECT set_config('sluice.actor', $1, true), set_config('sluice.request_id', $2, true)`;

export function createAdministration(ports: AdministrationPorts): Administration {
  const { database, seal } = ports;
  return {
    identify: (credential) => ports.identify(credential),
    read: (caller) => bind(ports.openDirectory(database, ports.onChange), caller),
    change: async ({ caller, requestId, repeatable }, work) => {
      const place = repeatable && { ...repeatable, adminKeyId: caller.adminKeyId };
      return changeTogether<ChangeAnswer>(ports, async (directory, client) => {
        await client.query({ text: SET_ACTOR, values: [caller.adminKeyId, requestId] });
        const answers = new IdempotentAnswers(client, seal);
        const known = place && (await answers.find(place));
        if (known !== undefined) return { text: known, isReplay: true };
        const text = await work(bind(directory, caller));
        if (place) await answers.keep(place, text);
        return { text, isReplay: false };
      });
    },
  };
}

function bind(directory: Directory, { scopes, organizationId }: AdminCaller): Directory {
  const bound = organizationId === undefined ? directory : bindDirectory(directory, organizationId);
  return {
    ...bound,
    createAdminKey: async (input) => {
      const beyond = (input.scopes ?? ['all']).find((scope) => !hasScope(scopes, scope));
      if (beyond === undefined) return bound.createAdminKey(input);
      throw new GatewayError('missing_scope', `this admin key lacks the scope ${beyond} and cannot give it`);
    },
  };
}
