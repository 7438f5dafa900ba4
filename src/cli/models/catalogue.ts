import type { Command } from 'commander';
import { createKeyFile, describeChange, loadSettings, publishFeed, updateFeed } from '#app';
import { formatCount, systemClock, toSnakeCaseMembers } from '#base';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print, remark } from '../terminal/output.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { readFuture } from '../terminal/read-time.ts';
import { withStores } from '../terminal/with-stores.ts';
import { createDiffCommand } from './catalogue-diff.ts';

export function createCatalogueCommand(): Command {
  return defineGroup('catalogue', 'Publish and use signed feeds of models and prices.', [
    createDiffCommand(),
    createUpdate(),
    createSign(),
    createKeygen(),
  ]);
}

function createUpdate(): Command {
  return defineCommand({
    name: 'update',
    summary:
      'Check a feed and store it: running gateways use it within seconds, and announce what changes. The feed of ' +
      '`catalogue.url`, or a file with its signature next to it.',
    examples: ['catalogue update', 'catalogue update feed.json', 'catalogue update --accept'],
  })
    .argument('[file]', 'a feed; its signature is the file of the same name with .sig')
    .option('--accept', 'also if a price changes more than tenfold')
    .action(async (file: string | undefined, options: CommonOptions & { accept?: boolean }) => {
      const settings = await loadSettings(toOrigin(options));
      const asked = { file, isAccepted: options.accept === true };
      const outcome = await withStores(options, (stores) => updateFeed(settings, stores, asked));
      const { result, sequence, changes, unknownProviders, reason } = outcome;
      for (const id of unknownProviders)
        remark(`left out: ${id}, a provider that this version does not know`);
      if (result === 'held') process.exitCode = 1;
      const data = { result, sequence: sequence.toString(), reason: reason ?? null, changes: changes.length };
      print(options, data, () => {
        if (result === 'current') return [`the feed ${sequence} is known and in force`];
        const lines = changes.map(describeChange);
        if (result === 'stored') return [...lines, `the feed ${sequence} is stored`];
        return [...lines, `the feed ${sequence} waits: ${reason ?? ''}; use it with --accept`];
      });
    });
}

interface SignOptions extends CommonOptions {
  key: string;
  directory?: string;
  from?: number;
  sequence?: number;
}

function createSign(): Command {
  return defineCommand({
    name: 'sign',
    summary: 'Write a feed of the files of a catalogue, and its signature next to it.',
    examples: [
      'catalogue sign feed.json --key feed.pem',
      'catalogue sign feed.json --key feed.pem --from 2030-01-31',
    ],
  })
    .argument('<file>', 'where the feed is written')
    .requiredOption('--key <file>', 'an Ed25519 private key in PEM')
    .option('--directory <dir>', 'the folder with providers and models (default: the built-in catalogue)')
    .option('--from <time>', 'when changes count, if gateways give shorter notice', (text) =>
      readFuture(text),
    )
    .option(
      '--sequence <number>',
      'must rise with each feed (default: seconds since 1970)',
      readWhole(1, Number.MAX_SAFE_INTEGER),
    )
    .action(async (path: string, { key, directory, from, sequence, ...options }: SignOptions) => {
      const now = systemClock.now();
      const published = await publishFeed({ path, keyFile: key, directory, from, sequence, now });
      print(options, toSnakeCaseMembers(published), () => [
        `${published.path} and ${published.signaturePath}: ${formatCount(published.models, 'model')}, sequence ${published.sequence}`,
        `publicKey: ${published.publicKey}`,
      ]);
    });
}

function createKeygen(): Command {
  return defineCommand({
    name: 'keygen',
    summary: 'Create a key to sign feeds with. The public key, for `catalogue.publicKey`, is printed.',
    examples: ['catalogue keygen feed.pem'],
  })
    .argument('<file>', 'where the private key is written; it must not exist yet')
    .action((path: string, options: CommonOptions) => {
      const publicKey = createKeyFile(path);
      print(options, { path, public_key: publicKey }, () => [`publicKey: ${publicKey}`]);
    });
}
