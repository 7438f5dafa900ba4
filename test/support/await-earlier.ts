interface Requester {
  request(path: string): Promise<Response>;
}

/** Resolves when a gateway has read what was sent to it before, and noticed who has left, by answering later requests. */
export async function awaitEarlier(gateway: Requester): Promise<void> {
  for (const path of ['/livez', '/livez']) await (await gateway.request(path)).text();
}
