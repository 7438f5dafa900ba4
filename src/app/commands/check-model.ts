import { parseJsonObject, isJsonObject } from '#base';
import { createGatewayClient } from '#providers';

const LIMIT_MS = 3_000;

/** Whether anything answers at the address of a gateway. */
export async function isAnswering(url: string): Promise<boolean> {
  const client = createGatewayClient(url);
  try {
    await client.get({ path: '/livez', headers: {}, signal: AbortSignal.timeout(LIMIT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

/** Why a key cannot ask a running gateway for a model, in the gateway's words; undefined if it can, or if nothing is known. */
export async function findModelFault(
  { url, apiKey }: { url: string; apiKey: string },
  model: string,
): Promise<string | undefined> {
  // `[1m]` is for Claude Code itself, which leaves it out of requests.
  const name = model.replace(/\[[^\]]*\]$/, '');
  const client = createGatewayClient(url);
  try {
    const { status, text } = await client.get({
      path: `/v1/models/${encodeURIComponent(name)}`,
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (status !== 403 && status !== 404) return undefined;
    const error = parseJsonObject(text)?.['error'];
    const message = isJsonObject(error) ? error['message'] : undefined;
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined; // the client will say that it does not answer
  } finally {
    await client.close();
  }
}
