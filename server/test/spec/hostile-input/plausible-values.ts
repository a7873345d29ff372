import { ALICE_MAIN, HOLDER_OF_BOTH, MAIN_QUEST, OWNED_SPACE, SOLANA_HOLDER } from '../../support/fixture.ts'
import { encodePng } from '../../support/png.ts'
import type { Plausible } from './json-values.ts'
import { CURRENT_VERSION } from './send.ts'

const PNG = encodePng(256, 256).toString('base64')
const address = [ALICE_MAIN, HOLDER_OF_BOTH, SOLANA_HOLDER, 'bob']
const credentialId = ['500', '501', '601', '602', '312969464']
const question = { question: 'Who?', type: 'text', answers: ['Ada'] }
export const sources = {
  quiz: {
    kind: 'QUIZ',
    questions: [question, { ...question, type: 'single', options: ['Ada', 'Bob'] }],
    attempts: 100,
    periodSeconds: 60,
  },
  visit: { kind: 'VISIT_LINK', target: 'https://example.org/' },
  rest: { kind: 'REST', url: 'http://127.0.0.1:9/list', format: 'text', everySeconds: 600, headers: { a: 'x' } },
  pages: { kind: 'REST', url: 'https://127.0.0.1:9/list', format: 'json', next: { page: { parameter: 'page' } } },
  csv: { kind: 'CSV', url: 'https://127.0.0.1:9/list', column: 'address' },
  discord: { kind: 'DISCORD_MEMBER', guildId: '1234567890', botToken: 'x' },
  nft: { kind: 'CONTRACT_NFT_HOLDER', rpcUrl: 'https://127.0.0.1:9/', contract: ALICE_MAIN, standard: 'ERC721' },
  event: {
    kind: 'EVM_EVENT',
    rpcUrl: 'https://127.0.0.1:9/',
    contract: ALICE_MAIN,
    event: 'Transfer(address indexed to)',
  },
}
export const QUIZ = { id: '601', name: 'A quiz', credType: 'EVM_ADDRESS', credSource: 'QUIZ' }
export const VISIT = { id: '602', name: 'A visit', credType: 'EVM_ADDRESS', credSource: 'VISIT_LINK' }
const rule = { id: 'first-steps', kind: 'claim', description: 'A quest is completed', points: 10 }
export const quest = {
  id: 'GCbeacon01',
  name: 'Light the beacon',
  type: 'Drop',
  autoStatus: true,
  loyaltyPoints: 25,
  credentialGroups: [
    { conditionRelation: 'ALL', conditions: ['500', QUIZ.id, VISIT.id].map((id) => ({ credentialId: id })) },
  ],
}
const credential = { id: '505', name: 'Early member', credType: 'EVM_ADDRESS', credSource: 'CSV' }

/** Values of the fixture and of `createOwner`, by the name of the field or parameter. */
export const plausibleValues: Plausible = {
  address,
  member: address,
  spaceId: [OWNED_SPACE, 40],
  starboardId: ['1'],
  starboard: ['1'],
  credentialId,
  credential: credentialId,
  questId: ['GCbeacon01', MAIN_QUEST],
  quest: ['GCbeacon01'],
  plan: ['malformed'],
  decision: ['approve', 'reject'],
  file: ['points.csv', 'holders.csv', `${ALICE_MAIN}.svg`],
  page: ['quests', 'spaces/43', 'rules'],
  version: [CURRENT_VERSION],
  answers: [[['Ada'], ['Ada']]],
  sprint: ['1'],
  lang: ['de', 'en'],
  find: [ALICE_MAIN],
  theme: ['dark'],
  rows: ['5'],
  movement: ['7d', '30d'],
  slug: ['harbour'],
  kind: ['spaces', 'points', 'EVMAddress', 'Github', 'Telegram'],
  return: ['/account'],
  purpose: ['sign-in', 'link', 'merge'],
  method: ['tools/call', 'tools/list', 'initialize', 'ping', 'notifications/initialized'],
  image: [PNG],
  logo: [`data:image/png;base64,${PNG}`, null],
  homepage: ['https://app.example.com'],
  redirectUri: ['https://app.example.com/callback'],
  allowedOrigin: ['https://app.example.com'],
  origin: ['https://app.example.com'],
  scope: ['EVMAddress', 'ServiceID'],
  url: ['https://8.8.8.8/questboard'],
  query: ['{ __typename }', 'query ($x: ID!) { quest(id: $x) { id } }'],
  entry: ['1-1'],
  first: [10],
  text: [`${ALICE_MAIN}\n${HOLDER_OF_BOTH}`],
  source: Object.values(sources),
  rules: [[rule], [{ ...rule, kind: 'award', cap: { points: 5, per: 'day' } }]],
  spaces: [
    [OWNED_SPACE],
    'all',
    [
      {
        spaceId: OWNED_SPACE,
        name: 'Harbour',
        slug: 'harbour',
        credentials: [credential],
        quests: [quest],
        rules: [rule],
      },
    ],
  ],
  credentials: [[{ ...credential, source: sources.rest }], ['500'], 'all'],
  starboards: [[{ id: 'aura', name: 'Aura', type: 'TWITTER' }], ['1'], 'all'],
}
