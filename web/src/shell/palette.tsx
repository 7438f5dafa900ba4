import { Combobox, Kbd, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { catalogueQuery } from '../models/catalogue.ts';
import { useCan, useIsMember } from '../parts/use-can.ts';
import { useFoundRecords } from './use-found-records.ts';
import { type Command, chooseCommands } from './commands.ts';

interface PaletteProps {
  pages: readonly { to: string; name: string; key: string }[];
  switchScheme(): void;
  onClose(): void;
}

/** Pages, models, keys and their owners, requests and sessions by their names. */
export default function Palette({ pages, switchScheme, onClose }: PaletteProps) {
  const [text, setText] = useState('');
  const combobox = useCombobox({ defaultOpened: true });
  const commands = useCommands(text, { pages, switchScheme });
  useReturn();
  const run = (id: string): void => {
    onClose();
    commands.find((command) => command.id === id)?.run();
  };
  // Locking the scroll takes a style sheet that the policy refuses.
  return (
    <Modal.Root opened onClose={onClose} yOffset="10vh" lockScroll={false}>
      <Modal.Overlay />
      <Modal.Content aria-label="Go to">
        <Modal.Body>
          <Combobox store={combobox} onOptionSubmit={run}>
            <Combobox.EventsTarget>
              <TextInput
                data-autofocus
                aria-label="A page, a model, a key, a request or a session"
                placeholder="A page, a model, a key, a request or a session"
                value={text}
                onChange={({ currentTarget }) => {
                  setText(currentTarget.value);
                  combobox.resetSelectedOption();
                }}
                onKeyDown={(event) => {
                  // The list would take it for itself.
                  if (event.key === 'Escape') onClose();
                  const [first] = commands;
                  // Without a choice, Enter takes the first.
                  if (event.key !== 'Enter' || combobox.getSelectedOptionIndex() !== -1 || !first) return;
                  event.preventDefault();
                  run(first.id);
                }}
              />
            </Combobox.EventsTarget>
            <Combobox.Options mt="sm" className="commands" aria-label="Commands">
              {commands.map((command) => (
                <Option key={command.id} command={command} />
              ))}
              {commands.length === 0 && <Combobox.Empty>No matches.</Combobox.Empty>}
            </Combobox.Options>
          </Combobox>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Gives the focus back to what had it. */
function useReturn(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) opener.focus();
    },
    [opener],
  );
}

function useCommands(text: string, given: Pick<PaletteProps, 'pages' | 'switchScheme'>): Command[] {
  const router = useRouter();
  const models = useQuery(catalogueQuery).data?.data ?? [];
  const compares = useCan()('logs', 'read') && !useIsMember();
  return chooseCommands(text, {
    ...given,
    models: models.map(({ id }) => id),
    named: useFoundRecords(text),
    go: (path) => router.history.push(path),
    compares,
  });
}

function Option({ command: { id, name, about, keys } }: { command: Command }) {
  return (
    <Combobox.Option value={id} className="command">
      <span>
        {name}{' '}
        <Text span size="xs" className="quiet">
          {about}
        </Text>
      </span>
      {keys !== undefined && <Kbd>{keys}</Kbd>}
    </Combobox.Option>
  );
}
