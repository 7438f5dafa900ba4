import { Type } from 'typebox';

const strict = { additionalProperties: false };
const text = (description: string) => Type.String({ minLength: 1, maxLength: 500, description });

const accessSchema = Type.Object(
  {
    group: Type.Optional(text('A group of the person, as in the claim of groupsClaim.')),
    domain: Type.Optional(
      Type.String({
        pattern: '^[^\\s@]+$',
        maxLength: 253,
        description: 'The domain of the person’s verified e-mail address.',
      }),
    ),
    email: Type.Optional(
      Type.String({
        pattern: '^[^\\s@]+@[^\\s@]+$',
        maxLength: 254,
        description: 'The verified address itself.',
      }),
    ),
    role: Type.Enum(['operator', 'admin', 'viewer', 'member'], {
      description: 'What the person may do: docs/sign-in.md.',
    }),
    organization: Type.Optional(text('The id or the name of the organization; not for operators.')),
  },
  { ...strict, description: 'All conditions of a rule must hold; the first rule that applies decides.' },
);

const oidcSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description: 'As the sign-in page names it. Default: the host of the issuer.',
      }),
    ),
    issuer: Type.String({
      pattern: '^https?://[^\\s?#]+$',
      maxLength: 500,
      description: 'The issuer’s URL, below which /.well-known/openid-configuration is.',
    }),
    clientId: text('The client’s id at the issuer.'),
    clientSecret: Type.Optional(
      text(
        'Its secret; better the variable SLUICE_OIDC_CLIENT_SECRET, or ${file:/path}. Default: a public client.',
      ),
    ),
    redirectUrl: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s?#]+/dashboard/callback$',
        maxLength: 500,
        description:
          'Where the issuer redirects browsers to: the gateway’s public address and /dashboard/callback. Default: under the name of server.hosts with which the dashboard was opened.',
      }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$', maxLength: 200 }), {
        description: 'What is asked for. Default: openid, profile, email.',
      }),
    ),
    groupsClaim: Type.Optional(text('The claim with the person’s groups. Default: groups.')),
    sessionHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 168,
        description: 'How long a session lasts before the issuer is asked again. Default: 24.',
      }),
    ),
    access: Type.Array(accessSchema, {
      minItems: 1,
      description: 'Who gets which role. Anyone else is refused.',
    }),
  },
  { ...strict, description: 'Sign-in to the dashboard by OpenID Connect.' },
);

/** `auth` of the configuration. */
export const authSchema = Type.Optional(
  Type.Object({ oidc: Type.Optional(oidcSchema) }, { ...strict, description: 'How people sign in.' }),
);
