import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Instruction {
  name: string;
  text: string;
}

/** A stage that was built in a folder: what the image of a container runtime would have. */
export interface BuiltImage {
  /** The folder used as the root of the image. */
  path: string;
  workingDirectory: string;
  environment: Record<string, string>;
  user: { uid: number; gid: number } | undefined;
  entrypoint: string[];
  command: string[];
  healthCheck: string[];
  volumes: string[];
}

/** The instructions of a Dockerfile; comments and line continuations are resolved. */
function parseDockerfile(text: string): Instruction[] {
  return text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
      if (name === '') throw new Error(`no instruction: ${line}`);
      return { name, text: rest };
    });
}

/**
 * Runs the steps of a Dockerfile without a container runtime: each stage is a folder, and absolute paths of the image are
 * below it. `npm ci` becomes a link to the packages of the checkout. Requires root, for the users of the steps.
 */
export function buildImage(file: string, folder: string): BuiltImage {
  const stages = new Map<string, BuiltImage>();
  let image: BuiltImage | undefined;
  for (const instruction of parseDockerfile(readFileSync(join(root, file), 'utf8'))) {
    if (instruction.name === 'FROM') {
      const name = / AS (\w+)$/.exec(instruction.text)?.[1] ?? 'last';
      image = createStage(join(folder, name));
      stages.set(name, image);
    } else if (image === undefined) {
      throw new Error(`${instruction.name} before FROM`);
    } else {
      runStep(image, instruction, { stages, ignored: `${file}.dockerignore` });
    }
  }
  if (image === undefined) throw new Error(`${file} has no stage`);
  return image;
}

function createStage(path: string): BuiltImage {
  mkdirSync(path);
  const empty = { entrypoint: [], command: [], healthCheck: [], volumes: [] };
  return { path, workingDirectory: path, environment: {}, user: undefined, ...empty };
}

interface Sources {
  stages: ReadonlyMap<string, BuiltImage>;
  ignored: string;
}

function runStep(image: BuiltImage, { name, text }: Instruction, sources: Sources): void {
  const steps: Record<string, () => void> = {
    WORKDIR: () => {
      image.workingDirectory = join(image.path, text);
      mkdirSync(image.workingDirectory, { recursive: true });
    },
    COPY: () => copy(image, text, sources),
    RUN: () => run(image, text),
    USER: () => {
      const [uid = NaN, gid = NaN] = text.split(':').map(Number);
      image.user = { uid, gid };
    },
    ENV: () => {
      for (const [, variable = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g))
        image.environment[variable] = expand(image, value);
    },
    VOLUME: () => image.volumes.push(join(image.path, text)),
    EXPOSE: () => undefined,
    HEALTHCHECK: () => (image.healthCheck = readWords(text.slice(text.indexOf('CMD ') + 4))),
    ENTRYPOINT: () => (image.entrypoint = readWords(text)),
    CMD: () => (image.command = readWords(text)),
  };
  const step = steps[name];
  if (step === undefined) throw new Error(`${name} is not known here`);
  step();
}

/** Replaces `$NAME`; paths of the program are those of the folder. */
function expand({ path, environment }: BuiltImage, value: string): string {
  const text = value.replaceAll(
    /\$(\w+)/g,
    (_, name: string) => environment[name] ?? process.env[name] ?? '',
  );
  return text.replaceAll(/(?<=^|:)\/app\/(?=node_modules)/g, `${join(path, 'app')}/`);
}

/** The words of the exec form, which needs no shell. */
function readWords(text: string): string[] {
  return JSON.parse(text) as string[];
}

function copy(image: BuiltImage, text: string, { stages, ignored }: Sources): void {
  const [, stage, from = '', to = ''] = /^(?:--from=(\w+) )?(\S+) (\S+)$/.exec(text) ?? [];
  const target = join(to.startsWith('/') ? image.path : image.workingDirectory, to);
  if (stage !== undefined) {
    cpSync(join(stages.get(stage)?.path ?? '', from), target, { recursive: true });
    return;
  }
  const patterns = readFileSync(join(root, ignored), 'utf8').split('\n').filter(Boolean);
  const isSent = (path: string): boolean => !patterns.some((pattern) => matchesGlob(basename(path), pattern));
  cpSync(join(root, from), target, { recursive: true, filter: isSent });
}

function run(image: BuiltImage, text: string): void {
  if (text === 'npm ci --ignore-scripts') {
    symlinkSync(join(root, 'node_modules'), join(image.workingDirectory, 'node_modules'));
    return;
  }
  const [program = '', ...args] = text.startsWith('[') ? readWords(text) : ['sh', '-c', text];
  const { PATH = '', TMPDIR = '/tmp' } = process.env;
  execFileSync(program === 'node' ? process.execPath : program, args, {
    cwd: image.workingDirectory,
    env: { PATH, TMPDIR, HOME: image.path, ...image.environment },
    stdio: ['ignore', 'ignore', 'inherit'],
    ...image.user,
  });
}
