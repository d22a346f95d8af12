// Runs a third-party OpenID provider with leadline as a client. It accepts any name
// without checking a password.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import Provider from 'oidc-provider'

export const client = 'leadline'
export const secret = randomBytes(24).toString('hex')

// provide turns a listening server into the provider of one leadline server. As the
// specification requires, the e-mail address is at the UserInfo endpoint and not in the
// ID token.
export function provide({ server, base }, leadline) {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    format: 'jwk',
  })
  const provider = new Provider(base, {
    clients: [
      {
        client_id: client,
        client_secret: secret,
        redirect_uris: [`${leadline}/oauth/callback`],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: [randomBytes(24).toString('hex')] },
    features: { devInteractions: { enabled: true } },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true }),
    }),
    jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256', kid: '1' }] },
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 60,
      Interaction: 600,
      Session: 600,
    },
  })
  server.removeAllListeners('request')
  server.on('request', provider.callback())
}
