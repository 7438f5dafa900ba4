import type { Medium } from '#media';
import type { Arrival } from '../request/arrival.ts';
import { type ReceivedMedium, isForm, readForm } from './read-form.ts';
import { receive } from '../path/receive.ts';

/** Reads a body once: JSON, or a form where the medium takes one. */
export async function receiveMedium(
  arrival: Pick<Arrival, 'headers' | 'readBody'>,
  intake: Medium['intake'],
): Promise<ReceivedMedium> {
  const type = String(arrival.headers['content-type'] ?? '');
  if (intake === 'form' || (intake === 'either' && isForm(type))) return readForm(arrival);
  const { body, ...received } = await receive(arrival);
  return { ...received, input: { body, files: new Map(), isForm: false } };
}
