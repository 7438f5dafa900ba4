import type { Command } from 'commander';
import {
  type Client,
  type ClientAccess,
  findGateway,
  findModelFault,
  hasVariable,
  isAnswering,
  isInstalled,
  prepareClient,
  runProgram,
  writeClientFile,
} from '#app';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { type Shell, createShellOption, formatExports, formatUnset, remarkAccess } from './env.ts';
import { print, remark } from '../terminal/output.ts';
import { createUrlOption } from '../terminal/url-option.ts';

interface ClientOptions extends CommonOptions {
  run?: boolean;
  key?: string;
  url?: string;
  model?: string;
  shell: Shell;
}

const NOT_INSTALLED = 127;

/** The model a client uses by default. */
type ChooseModel = (access: ClientAccess) => string | undefined;

/** A command that prints how a client is pointed at this gateway, or starts it that way. */
export function createClientCommand(client: Client, chooseModel: ChooseModel): Command {
  const { name, title } = client;
  return defineCommand({
    name,
    summary: `Print how to configure ${title} for this gateway, or start it configured.`,
    examples: [name, `${name} --run`, `${name} --run --model acme/acme-large`],
  })
    .argument('[args...]', `with --run: passed on to ${title}`)
    .option('--run', `start ${title}`)
    .option('--model <name>', 'the model to ask for')
    .option('--key <key>', 'the API key (SLUICE_API_KEY; else the client has one of its own)')
    .addOption(createUrlOption())
    .addOption(createShellOption())
    .allowUnknownOption()
    .action(async (args: string[], options: ClientOptions, command: Command) => {
      const { key, url } = options;
      // A misspelt option is among them.
      if (options.run !== true && args.length > 0)
        command.error(
          `error: ${args.join(' ')}: ${title} is not started without --run, and gets no arguments`,
        );
      // Before creating a key that would stay unused.
      if (options.run === true) {
        if (!isInstalled(name)) {
          reportMissing(client);
          return;
        }
        await requireGateway(options);
      }
      const access = await prepareClient(toOrigin(options), {
        label: name,
        ...(key !== undefined && { key }),
        ...(url !== undefined && { url }),
      });
      remarkAccess(access);
      const fault = options.model === undefined ? undefined : await findModelFault(access, options.model);
      if (fault !== undefined) remark(`warning: ${fault}`);
      const model = options.model ?? chooseModel(access);
      const target = { url: access.url, apiKey: access.apiKey, ...(model !== undefined && { model }) };
      if (options.run === true) await runClient(client, { target, dataDir: access.dataDir, args });
      else printSetup(client, target, options);
    });
}

async function requireGateway(options: ClientOptions): Promise<void> {
  const url = options.url ?? (await findGateway(toOrigin(options))).url;
  if (await isAnswering(url)) return;
  throw new Error(`no gateway answers at ${url}; start one with npx sluice start, or name one with --url`);
}

type Target = Parameters<Client['compose']>[0];

function printSetup(client: Client, target: Target, options: ClientOptions): void {
  const { variables, unset, file } = client.compose(target);
  const { shell } = options;
  const exported = [
    ...unset.filter((name) => hasVariable(name)).map((name) => formatUnset(name, shell)),
    ...formatExports(variables, shell),
  ];
  if (!file) {
    print(options, variables, () => exported);
    return;
  }
  const comment = file.text.split('\n').map((line) => `#   ${line}`);
  const heading = `# ${file.variable === undefined ? 'to keep it' : 'and'}, in ${file.path}:`;
  print(options, { variables, file }, () => [...exported, '', heading, ...comment]);
}

interface ClientRun {
  target: Target;
  dataDir: string;
  args: readonly string[];
}

async function runClient(client: Client, { target, dataDir, args }: ClientRun): Promise<void> {
  const { variables, unset, args: before, file } = client.compose(target);
  const set =
    file?.variable === undefined
      ? variables
      : { ...variables, [file.variable]: writeClientFile(dataDir, `${client.name}.json`, file.text) };
  const code = await runProgram(client.name, [...before, ...args], { set, unset });
  if (code === undefined) {
    reportMissing(client);
    return;
  }
  process.exitCode = code;
}

function reportMissing({ title, install }: Client): void {
  process.exitCode = NOT_INSTALLED;
  process.stderr.write(`error: ${title} is not installed; ${install}\n`);
}
