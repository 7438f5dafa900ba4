import { InvalidArgumentError, Option } from 'commander';

export function createUrlOption(): Option {
  return new Option('--url <url>', 'the gateway’s address (default: the running one’s)').argParser(readUrl);
}

/** A gateway address as typed; a trailing `/v1` is removed, because each client needs its own form. */
function readUrl(text: string): string {
  if (!/^https?:\/\/./.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('Write an address such as http://127.0.0.1:8787.');
  return text.replace(/(\/v1(beta)?)?\/*$/, '');
}
