import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * A shell that reads a line for each process and folder of its parent, and kills and removes what is left when the
 * parent has exited. A killed process cannot clean up itself, and node's `exit` does not fire then; a closed pipe is
 * detected.
 */
const KEEPER = `set -f
trap '' PIPE # the reader of its output may be gone, too
IFS='
'
processes= folders= kept=
drop() {
  kept=
  for one in $1; do [ "$one" = "$2" ] || kept="$kept$one$IFS"; done
}
while read -r line; do
  entry=\${line#* }
  case $line in
    'process '*) processes="$processes$entry$IFS" ;;
    'ended '*) drop "$processes" "$entry"; processes=$kept ;;
    'folder '*) folders="$folders$entry$IFS" ;;
    'removed '*) drop "$folders" "$entry"; folders=$kept ;;
  esac
done
report() { echo "left behind: process $1, $(ps -o args= -p "$1" | cut -c 1-200)" >&2; }
for pid in $processes; do
  kill -0 "$pid" 2>/dev/null || continue
  report "$pid"
  kill -KILL "-$pid" 2>/dev/null || kill -KILL "$pid" 2>/dev/null
done
for folder in $folders; do
  for file in $(find "$folder" -name postmaster.pid 2>/dev/null); do
    read -r pid <"$file" || continue
    case $(ps -o args= -p "$pid" 2>/dev/null) in *"$folder"*) ;; *) continue ;; esac
    report "$pid"
    kill -QUIT "$pid" 2>/dev/null
    tries=100
    while kill -0 "$pid" 2>/dev/null && [ "$tries" -gt 0 ]; do sleep 0.1; tries=$((tries - 1)); done
    kill -KILL "$pid" 2>/dev/null
  done
  rm -rf "$folder"
done`;

/** The prefix of the keeper's lines about processes left running. */
export const LEFT_BEHIND = 'left behind: ';

let keeper: Socket | undefined;

function report(word: 'process' | 'ended' | 'folder' | 'removed', what: string | number): void {
  keeper ??= startKeeper();
  keeper.write(`${word} ${what}\n`);
}

/** In its own session, so that it survives a kill of its parent's group; it keeps no process waiting. */
function startKeeper(): Socket {
  const shell = spawn('/bin/sh', ['-c', KEEPER], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  shell.unref();
  const pipe = shell.stdin;
  if (!(pipe instanceof Socket)) throw new Error('the shell has no standard input');
  pipe.on('error', () => undefined); // the shell was killed
  pipe.unref();
  return pipe;
}

/**
 * Ensures that a process ends with this one, however that ends. `detached` puts it at the head of a group that ends
 * with it.
 */
export function own<Child extends ChildProcess>(child: Child): Child {
  const { pid } = child;
  if (pid === undefined) return child;
  report('process', pid);
  child.once('exit', () => report('ended', pid));
  return child;
}

/** Ensures that a folder, and every database server on it, is gone once this process has exited. */
export function ownFolder(path: string): { release(): void } {
  report('folder', path);
  return { release: () => report('removed', path) };
}
