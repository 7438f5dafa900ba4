import type { AnswerOf } from '../api/client.ts';

export type Session = AnswerOf<'/admin/v1/sessions/{id}', 'get'>;
type Sums = Session['main']['total'];
type Turn = Session['main']['turns'][number];

/** An agent as the API nests it; its description in OpenAPI ends at the first level. */
export type Agent = Omit<Session['main'], 'agents'> & { agents: readonly Agent[] };

/** A line of the tree of a session. */
export interface Line {
  /** Unique in the tree. */
  path: string;
  level: number;
  name: string;
  kind: 'session' | 'agent' | 'turn' | 'request';
  /** Absent for one request of several in a turn. */
  sums?: Sums;
  /** Of a turn: why its requests missed the prompt cache. */
  misses?: Turn['misses'];
  /** Of a turn: how its last request ended. */
  outcome?: Pick<Turn, 'status' | 'error_code'>;
  /** The request to look at, if the line is a single one. */
  requestId?: string;
  /** Absent if nothing is below it. */
  isOpen?: boolean;
  /** Its place among its siblings, from 1, and how many there are. */
  place: number;
  siblings: number;
}

interface TreeView {
  /** Paths that the viewer opened or closed; by default agents are open and turns are not. */
  toggled: ReadonlySet<string>;
  byCost: boolean;
}

const startOf = ({ sums }: Pick<Line, 'sums'>): string => sums?.started_at ?? '';
const costOf = ({ sums }: Pick<Line, 'sums'>): number => Number(sums?.cost ?? 0);

interface Node extends Omit<Line, 'level' | 'place' | 'siblings' | 'isOpen'> {
  isOpenAtFirst: boolean;
  children: () => Node[];
}

/** The lines that are seen: the main agent, and what is below each open one. */
export function flattenSession(session: Session, view: TreeView): Line[] {
  const lines: Line[] = [];
  const add = (node: Node, level: number, [place, siblings]: readonly [number, number]): void => {
    const { children, isOpenAtFirst, ...line } = node;
    const below = children();
    const isOpen = below.length > 0 && view.toggled.has(node.path) !== isOpenAtFirst;
    lines.push({ ...line, level, place, siblings, ...(below.length > 0 && { isOpen }) });
    if (!isOpen) return;
    const order = (a: Node, b: Node): number =>
      view.byCost ? costOf(b) - costOf(a) : startOf(a).localeCompare(startOf(b));
    const sorted = node.kind === 'turn' ? below : below.sort(order);
    sorted.forEach((child, index) => add(child, level + 1, [index + 1, below.length]));
  };
  const main = session.main as unknown as Agent;
  add({ ...toAgentNode(main, ''), name: 'session', kind: 'session' }, 1, [1, 1]);
  return lines;
}

function toAgentNode(agent: Agent, above: string): Node {
  const path = `${above}/${agent.id ?? ''}`;
  return {
    path,
    name: `agent ${agent.id ?? ''}`,
    kind: 'agent',
    sums: agent.total,
    isOpenAtFirst: true,
    children: () => [
      ...agent.turns.map((turn, index) => toTurnNode(turn, path, index + 1)),
      ...agent.agents.map((inner) => toAgentNode(inner, path)),
    ],
  };
}

function toTurnNode(turn: Turn, above: string, number: number): Node {
  const path = `${above}#${number}`;
  const [only, ...others] = turn.request_ids;
  const isOne = others.length === 0 && only !== undefined;
  return {
    path,
    name: `turn ${number}`,
    kind: 'turn',
    sums: turn,
    isOpenAtFirst: false,
    misses: turn.misses,
    outcome: turn,
    ...(isOne && { requestId: only }),
    children: () =>
      isOne
        ? []
        : turn.request_ids.map((requestId) => ({
            path: `${path} ${requestId}`,
            name: requestId,
            kind: 'request',
            requestId,
            isOpenAtFirst: false,
            children: () => [],
          })),
  };
}
