import type { Queryable } from '#storage';

/** Who makes the changes of a transaction, for its audit rows. */
export interface Actor {
  actorId: string;
  requestId: string;
  /** The person behind the actor, as the audit log shows them. */
  person?: string | undefined;
}

const SET_ACTOR = `
  SELECT set_config('sluice.actor', $1, true), set_config('sluice.request_id', $2, true), set_config('sluice.person', $3, true)`;

export async function setActor(client: Queryable, { actorId, requestId, person }: Actor): Promise<void> {
  await client.query({ text: SET_ACTOR, values: [actorId, requestId, person ?? ''] });
}
