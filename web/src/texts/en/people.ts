import type { Format } from '../format.ts'

/** The accounts of the service, for operators. */
export const people = ({ number, plural }: Format) => ({
  title: 'People',
  one: 'Person',
  lead: 'Search accounts, view their data, suspend them, and manage operators.',
  accounts: 'Accounts',
  search: 'Username, ID, address or name of an identity',
  none: 'No account was found',
  noneText: 'The search finds whole addresses and IDs, and the beginning of a username.',
  clear: 'Show all accounts',
  more: 'Show more',
  operator: 'Operator',
  suspended: 'Suspended',
  created: (day: string) => `Created ${day}`,
  noIdentities: 'no identities',
  passkeys: (count: number) => plural(count, { one: '# passkey', other: '# passkeys' }),

  seen: (time: string) => `Last seen ${time}`,
  sessions: (count: number) => plural(count, { one: '# session', other: '# sessions' }),
  id: (id: string) => `ID ${id}`,
  identities: 'Identities',
  linked: (day: string) => `linked ${day}`,
  spaces: 'Spaces',
  noSpaces: 'Not in any team.',
  points: 'Points',
  noPoints: 'No points on a leaderboard.',
  pointsOf: (points: number, address: string) => `${number(points)} points · ${address}`,
  tokens: 'Tokens',
  noTokens: 'No active tokens.',
  serverToken: (plan: string) => `Server token · plan ${plan}`,
  ingestToken: 'Ingest token',
  tokenRevoked: (name: string) => `${name} was revoked`,
  webhooks: 'Webhooks',
  noWebhooks: 'No webhooks.',
  deleteWebhook: (host: string) => `Delete the webhook to ${host}`,
  webhookDeleted: (host: string) => `The webhook to ${host} was deleted`,
  used: (time: string) => `last used ${time}`,
  neverUsed: 'never used',
  apps: 'Apps',
  noApps: 'No apps.',
  log: 'Log',

  suspension: 'Suspension',
  suspensionLead:
    'A suspended account cannot sign in. Its sessions end, its tokens are refused, apps lose access to it, and its webhooks are disabled.',
  since: (time: string, reason: string) => `Suspended since ${time}. Reason: ${reason}`,
  reason: 'Reason (for operators)',
  suspend: 'Suspend',
  suspendQuestion: (name: string) => `Suspend ${name}? You can end the suspension later.`,
  resume: 'End suspension',
  suspendedNow: (name: string) => `${name} is suspended`,
  resumed: (name: string) => `${name} is no longer suspended`,

  rights: 'Operator rights',
  rightsLead: 'Operators manage everything in this service.',
  grant: 'Make operator',
  grantQuestion: (name: string) => `Make ${name} an operator?`,
  withdraw: 'Withdraw operator rights',
  withdrawQuestion: (name: string) =>
    `Withdraw the operator rights of ${name}? This also revokes ingest tokens, resets plans and disables webhooks that need them.`,
  granted: (name: string) => `${name} is an operator`,
  withdrawn: (name: string) => `${name} is no longer an operator`,

  invite: 'Invite an operator',
  inviteLead: 'The account that opens the link becomes an operator. The link works once.',
  createLink: 'Create link',
  linkUntil: (time: string) => `Valid until ${time}. Send it only to the new operator.`,

  data: 'Personal data',
  dataLead: 'The export contains all data about the account and its addresses. Each export is logged.',
  export: 'Download data',
  erase: 'Delete account',
  eraseLead:
    'The account is deleted with its identities, tokens and log. Data under its addresses remains in spaces and lists. To erase that data too, export it first: the export lists the addresses. This cannot be undone.',
  eraseConfirm: (name: string) => `Type ${name} to confirm`,
  eraseFor: 'Delete permanently',
  erased: (name: string) => `${name} was deleted`,
  own: 'This is your own account.',

  addressData: {
    title: 'Data of an address',
    lead: 'For an address, email address or handle that belongs to no account.',
    dataLead: 'The export contains all data under the address. Each export is logged, without the address.',
    address: 'Address, email address or handle',
    exported: (rows: number) =>
      rows === 0
        ? 'Nothing is stored under this address. Check the spelling.'
        : plural(rows, { one: 'The file contains # entry.', other: 'The file contains # entries.' }),
    erase: 'Erase address',
    eraseLead:
      'The address is deleted from leaderboards, quests and starboard links, and its bans end. Holder lists and messages of webhooks remain. This cannot be undone.',
    erased: ({ boards, quests, links, bans }: { boards: number; quests: number; links: number; bans: number }) =>
      boards + quests + links + bans === 0
        ? 'No leaderboard, quest, starboard link or ban had this address. Check the spelling.'
        : `The address was deleted from leaderboards (${number(boards)}), quests (${number(quests)}), starboard links (${number(links)}) and bans (${number(bans)}).`,
  },
})
