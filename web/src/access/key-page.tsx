import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/client.ts';
import { writeMoment, writeUsd } from '../parts/format.ts';
import { Read } from '../parts/state.tsx';
import { Moment, Usd } from '../parts/values.tsx';
import { type Key, recordQuery } from './access-queries.ts';
import { ConfirmAction } from './forms/confirm-action.tsx';
import { KEY_LIMIT_FIELDS, ROTATE_FIELDS } from './fields/key-fields.ts';
import { type KeysProps, describeState, nameOf, useOwners } from './keys.tsx';
import { useMakeNew } from './forms/make-new.tsx';
import { FactList } from '../parts/fact-list.tsx';
import { RecordPage } from './record-page.tsx';
import { routingFields } from './fields/routing-fields.ts';
import { Rules } from './rules.tsx';
import { useClose } from './scope.ts';
import { Secret } from './forms/secret.tsx';
import { SettingsSection } from './forms/settings-section.tsx';
import { useSuggestions } from './suggestions.ts';

const PATH = '/admin/v1/keys/{id}';

/** One key: what it spent, its limits and rules, and what can be done to it. */
export function KeyPage({ id, ...props }: KeysProps & { id: string }) {
  return (
    <Read query={useQuery(recordQuery(PATH, id))} what="the key">
      {(apiKey) => <FoundKey apiKey={apiKey} {...props} />}
    </Read>
  );
}

function FoundKey({ apiKey: data, ...props }: KeysProps & { apiKey: Key }) {
  const routing = routingFields(useSuggestions());
  const { id } = data;
  const { canWrite, organization } = props;
  const settings = { record: data, path: PATH, id, canWrite } as const;
  return (
    <KeyFrame {...props} apiKey={data}>
      <SettingsSection title="Label and limits" fields={KEY_LIMIT_FIELDS} {...settings} />
      {organization && <Rules layer="key" subject={data} canWrite={canWrite} organization={organization} />}
      <SettingsSection title="Routing" fields={routing} {...settings} isBrief />
    </KeyFrame>
  );
}

type KeyFrameProps = KeysProps & { apiKey: Key; children: ReactNode };

function KeyFrame({ apiKey, organization, canWrite, children }: KeyFrameProps) {
  const { id, label } = apiKey;
  const [made, setMade] = useState<{ secret: string; previous_secret_expires_at: string | null }>();
  const rotate = useMakeNew({
    name: 'Rotate',
    fields: explainRotation(apiKey),
    path: '/admin/v1/keys/{id}/rotate',
    id,
    verb: 'Rotate now',
    isMain: false,
    onDone: (answer) => setMade(answer as typeof made),
  });
  const actions = canWrite && (
    <>
      {rotate.button}
      <SwitchKey apiKey={apiKey} />
      <DeleteKey apiKey={apiKey} />
    </>
  );
  return (
    <RecordPage id={id} name={label} back="All keys" filter="key_id" actions={actions}>
      {made && (
        <Secret
          title="The new secret, shown only this once"
          secret={made.secret}
          note={<OldSecret end={made.previous_secret_expires_at} />}
          onClose={() => setMade(undefined)}
        />
      )}
      {rotate.form}
      <KeyFacts apiKey={apiKey} organizationId={organization?.id} />
      {children}
    </RecordPage>
  );
}

function OldSecret({ end }: { end: string | null }) {
  if (end === null) return 'The old secret is refused from now on.';
  return (
    <>
      The old secret works until <Moment iso={end} />.
    </>
  );
}

/** The fields of a rotation with what it does to this key. */
function explainRotation({ masked, previous_secret_expires_at: previous }: Key) {
  return ROTATE_FIELDS.map((field) => ({
    ...field,
    effect: (value: string) => {
      const until = writeMoment(new Date(Date.now() + Number(value) * 1_000).toISOString());
      const old = value === '0' ? 'is refused at once' : `works until about ${until}, then it is refused`;
      const older = previous === null ? '' : ' The secret before it ends at once.';
      return `The key gets a new secret, which is shown once. The old one, ${masked}, ${old}.${older}`;
    },
  }));
}

function KeyFacts({ apiKey, organizationId }: { apiKey: Key; organizationId: string | undefined }) {
  const { projects, members } = useOwners(organizationId);
  const { masked, usage, created_at: created, last_used_at: used, previous_secret_expires_at: old } = apiKey;
  const hasOld = old !== null && new Date(old).getTime() > Date.now();
  return (
    <FactList
      of={[
        ['Key', masked],
        ['State', describeState(apiKey)],
        ['Total spent', <Usd exact={usage} />],
        ['Project', nameOf(projects, apiKey.project_id)],
        ['Member', nameOf(members, apiKey.member_id)],
        ['Created', <Moment iso={created} />],
        ['Last used', used === null ? 'not yet' : <Moment iso={used} />],
        ...(hasOld ? [['Old secret', <OldSecret end={old} />] as const] : []),
      ]}
    />
  );
}

function SwitchKey({ apiKey: { id, label, masked, disabled } }: { apiKey: Key }) {
  const explains = disabled
    ? 'It is accepted again at once, with the same secret and limits.'
    : `Requests with ${masked} and its session tokens are refused at once. You can enable it again.`;
  return (
    <ConfirmAction
      name={disabled ? 'Enable' : 'Disable'}
      about={label}
      explains={explains}
      run={() => call('post', PATH, { id, body: { disabled: !disabled } })}
    />
  );
}

function DeleteKey({ apiKey: { id, label, masked, usage } }: { apiKey: Key }) {
  const close = useClose();
  return (
    <ConfirmAction
      name="Delete"
      about={label}
      explains={`Requests with ${masked} and its session tokens are refused at once, and nothing brings it back. The ${writeUsd(usage)} that it spent stay in the ledger.`}
      run={() => call('delete', PATH, { id }).then(close)}
    />
  );
}
