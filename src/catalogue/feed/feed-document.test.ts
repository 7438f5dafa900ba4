import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCatalogueFiles } from '../build/load-catalogue.ts';
import { FEED_SCHEMA, feedSchema, parseFeed, renderFeed } from './feed-document.ts';
import { type FeedFault, FeedRefused } from './feed-refused.ts';
import { createSigningKey, isPublicKey, nameKey, readSigningKey, signFeed, verifyFeed } from './sign-feed.ts';

const files = await loadCatalogueFiles(fileURLToPath(new URL('../../../catalogue', import.meta.url)));
const text = renderFeed(files, { sequence: 7, publishedAt: 1_700_000_000_000 });

function createKey() {
  const key = readSigningKey(createSigningKey());
  assert.ok(key);
  return key;
}

const refusedFor = (fault: FeedFault, pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof FeedRefused);
  assert.equal(error.fault, fault);
  assert.match(error.message, pattern);
  return true;
};

test('the repository’s own files make a feed that is read as it was written, the same bytes each time', () => {
  const feed = parseFeed(text);
  assert.equal(feed.sequence, 7);
  assert.deepEqual(feed.models, files.models);
  assert.equal(renderFeed(files, { sequence: 7, publishedAt: 1_700_000_000_000 }), text);
});

test('a feed has nothing about where a provider is or how it is called', () => {
  for (const provider of parseFeed(text).providers)
    assert.deepEqual(
      Object.keys(provider).filter((name) => !['id', 'modifiers', 'hostedTools'].includes(name)),
      [],
    );
  const moved = JSON.stringify({
    ...JSON.parse(text),
    providers: [{ id: 'openai', baseUrl: 'https://evil.example/v1' }],
  });
  assert.throws(() => parseFeed(moved), refusedFor('invalid', /baseUrl/));
});

test('a newer schema is refused by its number, whatever else is in the document', () => {
  assert.throws(
    () => parseFeed(JSON.stringify({ schema: FEED_SCHEMA + 1, things: [] })),
    refusedFor(
      'schema',
      new RegExp(`schema ${FEED_SCHEMA + 1}, and this version reads ${FEED_SCHEMA}; upgrade Sluice`),
    ),
  );
});

test('a feed of an earlier schema is read', () => {
  const { schema, ...rest } = parseFeed(text);
  assert.equal(schema, FEED_SCHEMA);
  for (let earlier = FEED_SCHEMA - 1; earlier > 0; earlier--)
    assert.deepEqual(parseFeed(JSON.stringify({ ...rest, schema: earlier })), { ...rest, schema: earlier });
});

test('a document that is none is refused with the place of its fault', () => {
  assert.throws(() => parseFeed('not JSON'), refusedFor('invalid', /./));
  const broken = text.replace('"sequence":7', '"sequence":"7"');
  assert.throws(() => parseFeed(broken), refusedFor('invalid', /sequence/));
  const timeless = text.replace(/"published":"[^"]*"/, '"published":"soon"');
  assert.throws(() => parseFeed(timeless), refusedFor('invalid', /published/));
});

test('only the very bytes that a key has signed pass, under that key', () => {
  const [key, other] = [createKey(), createKey()];
  const bytes = Buffer.from(text);
  const signature = signFeed(bytes, key);
  verifyFeed(bytes, signature, key.publicKey);
  const changed = Buffer.from(text.replace('"sequence":7', '"sequence":8'));
  assert.throws(() => verifyFeed(changed, signature, key.publicKey), refusedFor('signature', /does not fit/));
  assert.throws(
    () => verifyFeed(bytes, signature, other.publicKey),
    refusedFor('signature', new RegExp(`${nameKey(key.publicKey)}.*${nameKey(other.publicKey)}`)),
  );
  const renamed = signFeed(bytes, other).replace(nameKey(other.publicKey), nameKey(key.publicKey));
  assert.throws(() => verifyFeed(bytes, renamed, key.publicKey), refusedFor('signature', /does not fit/));
  for (const nonsense of ['', '{}', '{"keyId":1,"signature":2}'])
    assert.throws(
      () => verifyFeed(bytes, nonsense, key.publicKey),
      refusedFor('signature', /catalogue sign/),
    );
});

test('keys are Ed25519 alone', () => {
  assert.ok(isPublicKey(createKey().publicKey));
  for (const text of ['', 'ed25519:', `rsa:${'A'.repeat(43)}=`, `ed25519:${'A'.repeat(44)}=`])
    assert.ok(!isPublicKey(text), text);
  assert.equal(readSigningKey('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'), undefined);
});

/** Of the schema without its descriptions. */
const KNOWN_SCHEMA = '80df9914d6af9a31';

test('the number of the schema rises with every change that an earlier version cannot read', () => {
  const bare = JSON.stringify(feedSchema, (key, value: unknown) =>
    key === 'description' ? undefined : value,
  );
  const digest = createHash('sha256').update(bare).digest('hex').slice(0, 16);
  assert.equal(
    digest,
    KNOWN_SCHEMA,
    'the schema of feeds has changed: set KNOWN_SCHEMA here, and raise FEED_SCHEMA of feed-document.ts if a release has it already',
  );
});
