import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import {
  CLIENT_FORMATS,
  type ClientFormatId,
  type RouteQuestion,
  type Stores,
  explainRoute,
  findBinding,
  readRequestedRoute,
} from '#app';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { withStores } from '../terminal/with-stores.ts';
import { Misuse } from '../terminal/misuse.ts';
import { formatRoute } from './format-route.ts';

interface RouteOptions extends CommonOptions {
  request?: string;
  format?: ClientFormatId;
  key?: string;
  project?: string;
  session?: string;
}

export function createRouteCommand(): Command {
  const explain = defineCommand({
    name: 'explain',
    summary:
      'Show the providers of a model in the order in which a request tries them, its health in the running gateways, ' +
      'and why others are not called.',
    examples: [
      'route explain claude-sonnet-5-5',
      'route explain claude-sonnet-5-5 --request body.json',
      'route explain claude-sonnet-5-5 --key key_… --session 3f2a…',
    ],
  })
    .argument('<model>', 'a name that requests may use, also provider/model')
    .option('--request <file>', 'for the request whose JSON body is in this file')
    .addOption(
      new Option('--format <format>', 'the format of the request (default: by its members)').choices([
        ...CLIENT_FORMATS,
      ]),
    )
    .option('--key <id>', 'for requests of this key: its rules, routing and experiments, and its project’s')
    .option('--project <id>', 'for requests of keys of this project')
    .option('--session <id>', 'with --key, for the next request of this session')
    .action(async (model: string, options: RouteOptions) => {
      const found = await withStores(options, async (stores, named) =>
        explainRoute(stores, toOrigin(options), await composeQuestion(stores, model, named)),
      );
      print(options, found, () => formatRoute(found));
    });
  return defineGroup('route', 'Explain which provider answers.', [explain]);
}

async function composeQuestion(
  { database }: Pick<Stores, 'database'>,
  model: string,
  { request, format, key, project, session }: RouteOptions,
): Promise<RouteQuestion> {
  if (session !== undefined && key === undefined) throw new Misuse('name the key of the session with --key');
  const id = key ?? project;
  const binding = id === undefined ? undefined : await findBinding(database, id);
  if (id !== undefined && (!binding || (key !== undefined && binding.keyId === undefined)))
    throw new Error(
      key === undefined
        ? `there is no project ${id} (npx sluice projects list shows all)`
        : `there is no key ${id} (npx sluice keys list shows all)`,
    );
  const asked =
    request === undefined
      ? undefined
      : await readRequestedRoute(await readFile(request, 'utf8'), {
          model,
          format,
          defaults: binding?.routing,
        });
  return {
    model,
    ...(asked && { asked }),
    ...(binding && { binding }),
    ...(session !== undefined && { sessionId: session }),
  };
}
