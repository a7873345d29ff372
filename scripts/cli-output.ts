import { PROGRAM_NAME } from '../server/src/settings/called-as.ts'

/** A page of the manual that shows what a command prints. */
interface Shown {
  title: string
  /** The address, relative to docs/. */
  address: string
}

/** A text that shows or describes what a command prints. */
type Output = Shown | string

const at = (title: string, address: string): Shown => ({ title, address })

/** An example, which `server/test/spec/manual/cli-page.test.ts` runs. */
const example = (command: string, printed: string): string =>
  `\`\`\`sh\nbin/${PROGRAM_NAME} ${command}\n\`\`\`\n\nIt prints:\n\n\`\`\`text\n${printed.trim()}\n\`\`\``

const like = (command: string): string =>
  `The output has the form of [\`${command}\`](#${command.replaceAll(' ', '-')}).`

const MANAGE_TOKENS = at('Tokens and plans', 'operations.md#tokens-and-plans')
const SET_SOURCE = at('Set a source', 'sync.md#set-a-source')
const BAN = at('Ban an account or an address', 'bans.md#ban-an-account-or-an-address')
const CREATE_WEBHOOK = at('Create a webhook', 'webhooks.md#create-a-webhook')
const GET_CLIENT = at('Get a client', 'guides/sign-in.md#1-get-a-client')
const SUSPEND = at('Suspend an account', 'security.md#suspend-an-account')
const TRY_RULES = at('Try rules, and apply them to the past', 'rules.md#try-rules-and-apply-them-to-the-past')
const ROTATE_KEY = at('Rotate the signing key', 'security.md#rotate-the-signing-key')
const REPLACE_SECRET = at('Replace the secret', 'security.md#replace-the-secret')
const OPERATOR = at('Operator', 'pages.md#operator')

const ID = '0d9f5c3a-7b1e-4c8a-9f64-2f1f3c5b7a90'
const SNAPSHOT = `
${ID}  space 40  Garden
    private; sealed; as of 2026-11-21T12:00:00.000Z; members 2; points 1255; in the Merkle tree 1;
    left out 1; digest 81f008d444c758088bd6b5125930c9983e70ac3cdcf1cc02af68f2bc88045faa;
    root 0xd47a2aa276390ad812809c174572f8ec3edf6bf0f231cdf272532e819b291145`
const MEMBER = '0x52908400098527886E0F7030069857D2E4169EE7'
const WEBHOOK = `
${ID}  https://example.com/hooks
    points.awarded; space 40; at least 1 points, top 10, boards all; enabled`

/** What each command prints that has no subcommands, by its name. */
export const OUTPUT: Record<string, Output> = {
  import: at('Import files', 'import.md#import-files'),
  apply: at('Compare and apply', 'guides/programme-in-git.md#compare-and-apply'),
  export: at('Start from an existing space', 'guides/programme-in-git.md#start-from-an-existing-space'),

  'space list': example('space list', '40  Garden\n    createdAt 2026-11-21T12:00:00.000Z'),
  'space show': example('space show 40', '40  Garden\n    createdAt 2026-11-21T12:00:00.000Z\n    members 2, …'),
  'space delete': example('space delete 41 --yes', 'Deleted the space 41: members 1, ….'),
  'space export': example('space export 40', '{"spaceId":40,"name":"Garden",…}'),
  ...Object.fromEntries(
    ['sprint', 'starboard', 'credential', 'quest'].flatMap((kind) =>
      ['list', 'show', 'delete', 'export'].map((verb) => [`${kind} ${verb}`, like(`space ${verb}`)]),
    ),
  ),

  'ledger verify': at('Verify a ledger', 'ledger.md#verify-a-ledger'),
  'ledger export': at('Read a ledger', 'ledger.md#read-a-ledger'),
  'ledger reverse': at('Reverse an award', 'ledger.md#reverse-an-award'),

  'snapshot create': at('Prepare an airdrop', 'guides/airdrop.md#seal-it'),
  'snapshot list': example('snapshot list', SNAPSHOT),
  'snapshot show': example('snapshot show SNAPSHOT_ID', SNAPSHOT),
  'snapshot download': at('Prepare an airdrop', 'guides/airdrop.md#give-the-list-to-an-airdrop-tool'),
  'snapshot proof': example(
    `snapshot proof SNAPSHOT_ID ${MEMBER}`,
    `
{
  "address": "${MEMBER.toLowerCase()}",
  "rank": 1,
  "amount": "1250",
  "leaf": "0x…",
  "proof": …
  "root": "0x…"
}`,
  ),
  'snapshot statement': example(
    `snapshot statement SNAPSHOT_ID ${MEMBER}`,
    `
{
  "snapshotId": "${ID}",
  "address": "${MEMBER.toLowerCase()}",
  "text": "…",
  "asOf": "2026-11-24T12:00:00.000Z",
  "rank": 1,
  "points": 1250,
  "jwt": "…",
  "eip712": null
}`,
  ),
  'snapshot delete': at('Prepare an airdrop', 'guides/airdrop.md#delete-it'),

  'rules show': example(
    'rules show 40',
    `
Version 1 of 2026-11-21T12:00:00.000Z.
{
  "rules": [
    {
      "id": "invited",
      …
    }
  ]
}`,
  ),
  'rules set': at('Set the rules of a space', 'rules.md#set-the-rules-of-a-space'),
  'rules dry-run': TRY_RULES,
  'rules replay': TRY_RULES,

  'ban create': BAN,
  'ban list': BAN,
  'ban lift': BAN,

  'token create': MANAGE_TOKENS,
  'token regenerate': at('Respond to a leak', 'security.md#respond-to-a-leak'),
  'token revoke': example('token revoke ID_OF_THE_TOKEN', `Revoked: "My integration" (${ID}).`),
  'token list': MANAGE_TOKENS,

  'ingest-token create': at('Create an ingest token', 'ingest.md#create-an-ingest-token'),
  'ingest-token regenerate': like('ingest-token create'),
  'ingest-token revoke': example('ingest-token revoke ID_OF_THE_TOKEN', `Revoked: "shop" (${ID}).`),
  'ingest-token list': example(
    'ingest-token list',
    `
${ID}  shop
    spaces: 40; starboards: none; credentials: none; does not expire; never used`,
  ),

  usage: example(
    'usage ID_OF_THE_TOKEN',
    `
UTC DAY     STATUS  REQUESTS  OPERATION
2026-11-21  200           12  space
total 12`,
  ),

  'account list': MANAGE_TOKENS,
  'account suspend': SUSPEND,
  'account resume': SUSPEND,
  'account give-space': MANAGE_TOKENS,

  refresh: at('Rank a starboard now', 'ranking.md#rank-a-starboard-now'),
  'sync list': SET_SOURCE,
  'sync set': SET_SOURCE,
  'sync run': SET_SOURCE,
  'sync remove': SET_SOURCE,
  mirror: at('Copy data', 'mirror.md#copy-data'),

  'webhook create': CREATE_WEBHOOK,
  'webhook list': example('webhook list', WEBHOOK),
  'webhook update': example(
    'webhook update ID_OF_THE_WEBHOOK --min-points 100',
    WEBHOOK.replace('at least 1 points', 'at least 100 points'),
  ),
  'webhook delete': example('webhook delete ID_OF_THE_WEBHOOK', 'Deleted the webhook to https://example.com/hooks.'),
  'webhook rotate': like('webhook create'),
  'webhook test': CREATE_WEBHOOK,
  'webhook deliveries': CREATE_WEBHOOK,
  'webhook redeliver': example(
    'webhook redeliver ID_OF_THE_WEBHOOK ID_OF_THE_MESSAGE',
    '1 queued; a running service sends them at once.',
  ),

  'app list': example(
    'app list',
    `
CLIENT_ID  pending  My app
    https://app.example/callback; Discord,openid; revision 1`,
  ),
  'app apply': GET_CLIENT,
  'app approve': GET_CLIENT,
  'app refuse': example(
    'app refuse CLIENT_ID --reason "Unknown company"',
    `
name: My app
…
purpose: Members see their rewards
redirect URIs: https://app.example/callback
…
CLIENT_ID  refused  My app
    https://app.example/callback; Discord,openid; revision 1`,
  ),
  'app suspend': like('app refuse'),
  'app resume': like('app refuse'),
  'app accept-changes': like('app refuse'),
  'app refuse-changes': like('app refuse'),
  'app secret': GET_CLIENT,

  'operator list': example('operator list', `${ID}  mira`),
  'operator grant': example('operator grant ACCOUNT_ID', `ben (${ID}) is now an operator.`),
  'operator withdraw': OPERATOR,
  'operator invite': OPERATOR,

  'keys status': at('Keys in use', 'security.md#keys-in-use'),
  'keys rotate-signing-key': ROTATE_KEY,
  'keys new-secret': REPLACE_SECRET,
  'keys reseal': REPLACE_SECRET,

  audit: at('Read the audit log', 'watch.md#read-the-audit-log'),
  'person export': at('Export an account', 'personal-data.md#export-an-account'),
  'person erase': at('Erase an account', 'personal-data.md#erase-an-account'),

  migrate: example(
    'migrate',
    `
applied 20261125T0940_rules.sql
The schema is up to date.`,
  ),
  'database distribute': at('Distribute the tables', 'scale.md#distribute-the-tables'),
  config: at('Show the settings', 'settings.md#show-the-settings'),
  doctor: at('Check the installation', 'settings.md#check-the-installation'),
  completion: 'It prints the script. [Shell completion](#shell-completion) shows where to store it.',
}

/** Shows what a command prints, or links the page that shows it. */
export function outputOf(name: string): string {
  const output = OUTPUT[name]
  if (output === undefined) throw new Error(`no example of the output of ${name}`)
  return typeof output === 'string' ? output : `[${output.title}](${output.address}) shows what it prints.`
}
