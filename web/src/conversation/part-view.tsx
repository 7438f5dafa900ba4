import { Button, Code, Text } from '@mantine/core';
import { useState } from 'react';
import { Fold } from '../parts/fold.tsx';
import { countOf } from '../parts/format.ts';
import type { Part, Tool } from './conversation.ts';
import { printJson } from './json.ts';

interface PartsProps {
  parts: readonly Part[];
  /** Of calls by their ids. */
  names: ReadonlyMap<string, string>;
}

export function Parts({ parts, names }: PartsProps) {
  return parts.map((part, index) => <PartView key={index} part={part} names={names} />);
}

function PartView({ part, names }: { part: Part; names: PartsProps['names'] }) {
  if (part.kind === 'text') return <Clipped text={part.text} />;
  if (part.kind === 'thinking')
    return (
      <Fold title="Thinking">
        <Clipped text={part.text} />
      </Fold>
    );
  if (part.kind === 'error')
    return (
      <Text className="failed answer-text" dir="auto">
        {part.text}
      </Text>
    );
  if (part.kind === 'note') return <Text className="quiet answer-text">{part.text}.</Text>;
  if (part.kind === 'data') return <Clipped text={part.text} isCode />;
  if (part.kind === 'image') return <img src={part.url} alt="In the conversation" className="picture" />;
  if (part.kind === 'call')
    return (
      <div className="call">
        <Text size="sm">
          calls <strong>{part.name}</strong>
        </Text>
        <Clipped text={part.input} isCode />
      </div>
    );
  if (part.kind === 'result') return <Result part={part} names={names} />;
  return (
    <Fold title={part.type}>
      <Clipped text={part.text} isCode />
    </Fold>
  );
}

function Result({ part, names }: { part: Part & { kind: 'result' }; names: PartsProps['names'] }) {
  return (
    <div className="call">
      <Text size="sm" className={part.isError ? 'failed' : ''}>
        {part.isError ? 'error of' : 'result of'} <strong>{names.get(part.id) ?? part.id}</strong>
      </Text>
      <Parts parts={part.parts.map(toData)} names={names} />
    </div>
  );
}

/** A text that is JSON, in lines. */
function toData(part: Part): Part {
  if (part.kind !== 'text' || !/^\s*[[{]/.test(part.text)) return part;
  const text = printJson(part.text);
  return text === part.text ? part : { kind: 'data', text };
}

export function ToolList({ tools }: { tools: readonly Tool[] }) {
  return (
    <Fold title={countOf(tools.length, 'tool')}>
      {tools.map(({ name, description, schema }, index) => (
        <Fold key={index} title={name}>
          <Clipped text={description} />
          {schema !== undefined && <Clipped text={printJson(schema)} isCode />}
        </Fold>
      ))}
    </Fold>
  );
}

const MOST_CHARACTERS = 3_000;
const DEEP = /^ {20}/m;

/** A text, of a long one its beginning. */
export function Clipped({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > MOST_CHARACTERS && !isWhole;
  const shown = isLong ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  return (
    <>
      {isCode ? (
        // Wrapped, deep lines would be narrower than a word.
        <Code block {...(DEEP.test(shown) ? { tabIndex: 0 } : { className: 'answer-text' })}>
          {shown}
        </Code>
      ) : (
        <div className="answer-text" dir="auto">
          {shown}
        </div>
      )}
      {isLong && (
        <Button variant="default" size="compact-xs" onClick={() => setWhole(true)}>
          Show all {countOf(text.length, 'character')}
        </Button>
      )}
    </>
  );
}
