import { type Sequence, sequencePicture } from './sequence-picture.ts'

type Step = Sequence['steps'][number]

const B = 'Browser'
const Q = 'Questboard'
const W = 'Wallet'

const ask = (body: string): Step => [B, Q, `POST /api/challenges\n${body}`]
const keeps: Step = [Q, 'keeps every field, 5 minutes,\nfor this browser alone']
const prove = (body: string): Step => [B, Q, `POST /api/challenges/{id}/proof\n${body}`]
const spends = (text: string): Step => [Q, `takes the challenge out\n${text}`]
const session: Step = [Q, B, 'the session']

const wallet = (title: string, steps: readonly Step[], node?: string): Sequence => ({
  title,
  actors: [W, B, Q, ...(node === undefined ? [] : [node])],
  steps,
})

function redirect(name: string, kind: string, endings: readonly [string, string]): Sequence {
  return {
    title: `${kind}: OAuth 2.0 with PKCE`,
    actors: [B, Q, name],
    steps: [
      [B, Q, `GET /identity/${kind}/start`],
      [Q, 'keeps state, PKCE verifier and\npurpose, for this browser'],
      [Q, B, `303 to ${name}`],
      [B, name, 'the user allows it'],
      [name, B, '303 with code and state'],
      [B, Q, `GET /identity/${kind}/callback\ncode, state`],
      [Q, name, `code, verifier, client secret\n${endings[0]}`],
      [name, Q, 'an access token'],
      [Q, name, endings[1]],
      [name, Q, 'numeric id, name of now'],
      [Q, 'known by the id; the token is\nthrown away'],
      [Q, B, '303 to the return path'],
    ],
  }
}

/** The flow of each identity kind, by the name of its file in docs/identity. */
const sequences: Record<string, Sequence> = {
  evm: wallet(
    'EVMAddress: EIP-4361 over personal_sign',
    [
      ask('{kind, address, chainId}'),
      keeps,
      [Q, B, '{id, message}'],
      [B, W, 'personal_sign(message)'],
      [W, 'shows site, platform,\npurpose, kind'],
      [W, B, 'signature'],
      prove('{signature}'),
      spends('and recovers the signer'),
      [Q, 'EVM node', 'only if the signer is another:\neth_chainId, eth_getCode'],
      [Q, 'EVM node', 'eth_call isValidSignature\n(EIP-1271, ERC-6492)'],
      ['EVM node', Q, 'the magic word, or no'],
      session,
    ],
    'EVM node',
  ),
  solana: wallet('SolanaAddress: Sign In With Solana', [
    ask('{kind, address?}'),
    keeps,
    [Q, B, '{id, signIn, message?}'],
    [B, W, 'solana:signIn(signIn)\nor signMessage(message)'],
    [W, B, 'address, signature'],
    prove('{address, signature}'),
    spends('rebuilds the text, Ed25519'),
    session,
  ]),
  sei: wallet('SeiAddress: one key, two addresses', [
    ask('{kind, address: 0x… or sei1…}'),
    keeps,
    [Q, B, '{id, message}'],
    [B, W, '0x…: personal_sign\nsei1…: signArbitrary'],
    [W, B, 'signature, with the\npublic key for sei1…'],
    prove('{signature, publicKey?}'),
    spends('EIP-4361, or ADR-036 with SHA-256'),
    [Q, 'known by 0x…; sei1… is an alias'],
    session,
  ]),
  injective: wallet('InjectiveAddress: both ways end at inj1…', [
    ask('{kind, address: inj1… or 0x…}'),
    keeps,
    [Q, B, '{id, message}'],
    [B, W, 'inj1…: signArbitrary\n0x…: personal_sign'],
    [W, B, 'signature, with the\npublic key for inj1…'],
    prove('{signature, publicKey?}'),
    spends('ADR-036 with Keccak-256, or EIP-4361'),
    [Q, 'known by inj1…; 0x… is an alias'],
    session,
  ]),
  aptos: wallet(
    'AptosAddress: aptos:signIn or aptos:signMessage',
    [
      ask('{kind, address?}'),
      keeps,
      [Q, B, '{id, signIn, message?}'],
      [B, W, 'aptos:signIn(signIn)\nor signMessage(message)'],
      [W, B, 'address, key, signature'],
      prove('{address, scheme,\npublicKey, signature}'),
      spends('verifies all keys of the scheme'),
      [Q, 'Full node', 'GET /v1/accounts/{address}'],
      ['Full node', Q, 'the authentication key of now'],
      [Q, 'the key must be that one'],
      session,
    ],
    'Full node',
  ),
  flow: wallet(
    'FlowAddress: FCL account proof',
    [
      ask('{kind, address?}'),
      keeps,
      [Q, B, '{id, flow: {appIdentifier, nonce}}'],
      [B, W, 'account proof, or\nsignUserMessage(message)'],
      [W, B, 'composite signatures'],
      prove('{address, signatures}'),
      spends('the nonce identifies all its fields'),
      [Q, 'Access node', 'GET /v1/accounts/{address}\nat a sealed block'],
      ['Access node', Q, 'keys, weights, revoked or not'],
      [Q, 'different keys, none revoked,\ntogether 1,000'],
      session,
    ],
    'Access node',
  ),
  passkey: {
    title: 'ServiceID: a passkey (WebAuthn)',
    actors: ['Authenticator', B, Q],
    steps: [
      ask('{kind: "ServiceID", purpose}'),
      keeps,
      [Q, B, '{id, webauthn: {request, creation}}'],
      [B, 'Authenticator', 'credentials.get(request)\nor .create(creation)'],
      ['Authenticator', 'finger, face or PIN'],
      ['Authenticator', B, 'the credential'],
      prove('{credential}'),
      spends('origin, relying party, user verified,\nsignature'),
      session,
    ],
  },
  email: {
    title: 'Email: a code by mail',
    actors: [B, Q, 'Mail server', 'Mailbox'],
    steps: [
      ask('{kind: "Email", address}'),
      [Q, 'keeps the hash of a code,\n5 minutes, for this browser'],
      [Q, 'Mail server', 'SMTP: what for, where, the code'],
      ['Mail server', 'Mailbox', 'the mail'],
      [Q, B, '{id}'],
      ['Mailbox', B, 'the user types the code'],
      prove('{code}'),
      spends('a wrong code puts it back,\nthe fifth ends it'),
      session,
    ],
  },
  discord: redirect('Discord', 'Discord', ['POST /api/v10/oauth2/token', 'GET /api/v10/users/@me']),
  github: redirect('GitHub', 'Github', ['POST /login/oauth/access_token', 'GET /user']),
  twitter: redirect('X', 'Twitter', ['POST /2/oauth2/token', 'GET /2/users/me']),
  telegram: {
    title: 'Telegram: OpenID Connect',
    actors: [B, Q, 'Telegram'],
    steps: [
      [B, Q, 'GET /identity/Telegram/start'],
      [Q, 'Telegram', 'openid-configuration'],
      [Q, 'keeps state, nonce, PKCE verifier\nand purpose, for this browser'],
      [Q, B, '303 to Telegram'],
      [B, 'Telegram', 'the user allows it'],
      ['Telegram', B, '303 with code and state'],
      [B, Q, 'GET /identity/Telegram/callback\ncode, state'],
      [Q, 'Telegram', 'code, verifier, client secret'],
      ['Telegram', Q, 'an id_token'],
      [Q, 'Telegram', 'the published keys'],
      [Q, 'signature, issuer, audience, times,\nnonce; known by the claim id'],
      [Q, B, '303 to the return path'],
    ],
  },
  'telegram-widget': {
    title: 'Telegram: the older login widget',
    actors: [B, Q, 'Telegram'],
    steps: [
      ask('{kind: "Telegram"}'),
      keeps,
      [Q, B, '{id, widget: {url}}'],
      [B, 'Telegram', 'opens the URL; the user allows it'],
      ['Telegram', B, 'back with #tgAuthResult='],
      prove('{id, auth_date, hash, …}'),
      spends('HMAC under the bot token;\nyounger than the challenge;\neach answer counts once'),
      session,
    ],
  },
  merging: {
    title: 'Merging two accounts: proof of both',
    actors: ['Wallet of B', 'Browser, signed in as A', Q],
    steps: [
      ['Browser, signed in as A', Q, 'POST /api/challenges\n{kind, purpose: "merge", address}'],
      [Q, 'the session must be fresh'],
      [Q, 'Browser, signed in as A', '{id, message}'],
      ['Browser, signed in as A', 'Wallet of B', 'Merge the Questboard account\n… into the account A.'],
      ['Wallet of B', 'Browser, signed in as A', 'signature'],
      ['Browser, signed in as A', Q, 'POST …/proof {signature}'],
      [Q, 'proves B; nothing has happened yet'],
      [Q, 'Browser, signed in as A', '{merge: {id, into, from}}'],
      ['Browser, signed in as A', 'shows what moves and what ends'],
      ['Browser, signed in as A', Q, 'POST /api/merges/{id}'],
      [Q, 'one transaction;\nB and its sessions end'],
      [Q, 'Browser, signed in as A', 'a new session of A'],
    ],
  },
}

const claim: Sequence = {
  title: 'How a claim is decided',
  actors: ['Caller', Q, 'API of a credential', 'PostgreSQL'],
  steps: [
    ['Caller', Q, 'quest, address, key'],
    [Q, 'API of a credential', 'does the address hold it?\n(conditions with a live API)'],
    ['API of a credential', Q, 'yes, no, or no response'],
    [Q, 'PostgreSQL', 'one transaction:\nlocks the quest'],
    ['PostgreSQL', 'same key before?\nduplicate: the first result'],
    ['PostgreSQL', 'address and account:\none claim each'],
    ['PostgreSQL', 'start, end, cap, status'],
    ['PostgreSQL', 'every group: ALL or ANY of\nits conditions, on SYNCED lists'],
    ['PostgreSQL', 'participant, count, points,\nstatus, webhook events'],
    ['PostgreSQL', Q, 'committed to disk'],
    [Q, 'Caller', 'applied, duplicate,\nor refused with a reason'],
  ],
}

/** The text of each picture, by its path. */
export function pictures(): [path: string, svg: string][] {
  const named = Object.entries(sequences).map(([name, one]) => [`docs/identity/${name}.svg`, one] as const)
  return [...named, ['docs/quests.svg', claim] as const].map(([path, sequence]) => [path, sequencePicture(sequence)])
}
