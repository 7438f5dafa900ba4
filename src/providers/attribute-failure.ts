import { type UpstreamFailure, findBlame } from '#errors';

interface FailedProvider {
  id: string;
  /** The id of the organization's own key. */
  credentialId?: string | undefined;
  redact(text: string): string;
}

/** A failure as caller and log see it: without secrets, and with the provider's name unless the request is at fault. */
export function attributeFailure(failure: UpstreamFailure, provider: FailedProvider): UpstreamFailure {
  const clean = redactFailure(failure, provider);
  return findBlame(failure.kind) === 'client' ? clean : { ...clean, message: nameProvider(clean, provider) };
}

function redactFailure(failure: UpstreamFailure, { redact }: FailedProvider): UpstreamFailure {
  const clean = { ...failure, message: redact(failure.message) };
  if (failure.detail !== undefined) clean.detail = redact(failure.detail);
  if (failure.type !== undefined) clean.type = redact(failure.type);
  if (failure.code !== undefined) clean.code = redact(failure.code);
  if (failure.param !== undefined) clean.param = redact(failure.param);
  return clean;
}

const OWN_WORDS = /^the provider(?=[ ’])/;

/** Says if the key or account is the organization's own, because only the organization can fix it then. */
function nameProvider({ kind, message }: UpstreamFailure, { id, credentialId }: FailedProvider): string {
  if (credentialId !== undefined && kind === 'credential-refused')
    return `the provider ${id} refused the organization’s own key`;
  if (credentialId !== undefined && kind === 'out-of-quota')
    return `the organization’s account at the provider ${id} is out of quota`;
  return OWN_WORDS.test(message)
    ? message.replace(OWN_WORDS, `the provider ${id}`)
    : `the provider ${id} answered: ${message}`;
}
