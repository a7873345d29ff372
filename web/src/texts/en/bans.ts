import type { Format } from '../format.ts'

/** Exclusions from leaderboards, claims and snapshots, for operators. */
export const bans = ({ plural }: Format) => ({
  title: 'Bans',
  lead: 'A ban excludes an account or an address from leaderboards, claims and snapshots. Points are kept.',
  create: 'New ban',
  what: 'Ban',
  subjects: { address: 'An address or handle', account: 'An account with all its addresses' },
  address: 'Address or handle',
  account: 'Account',
  space: 'Space',
  spaceHelp: 'Leave empty to ban in all spaces.',
  reason: 'Reason (for operators)',
  until: 'Until',
  untilHelp: 'Leave empty to ban until you lift it.',
  ban: 'Ban',
  /** `end` is `untilTime` or `untilLifted`. */
  banQuestion: (subject: string, space: string | null, end: string) =>
    `Ban ${subject} in ${space === null ? 'all spaces' : `the space ${space}`} ${end}?`,
  banned: (subject: string) => `${subject} is banned`,
  onBoards: (count: number, names: string) =>
    plural(count, { one: `Has points in # space: ${names}`, other: `Has points in # spaces: ${names}` }),
  onNoBoard: 'Has no points in any space. Check the spelling.',
  isShortId:
    'Has no points in any space. If this is the short ID of a leaderboard, open the leaderboard of the space, select the member and choose “Ban this member”.',
  banMember: 'Ban this member',
  isUsername: (name: string) =>
    `An account has the username ${name}. To ban it with all its addresses, choose the account.`,
  chooseAccount: 'Choose the account',
  covers: (count: number) => plural(count, { one: 'The ban covers # address.', other: 'The ban covers # addresses.' }),

  list: 'All bans',
  show: 'Status',
  states: { active: 'Active', ended: 'Ended' },
  find: 'Filter by address or handle',
  none: 'No bans',
  noneText: 'An account or an address that you ban appears here.',
  more: 'Show more',
  allSpaces: 'in all spaces',
  inSpace: (name: string) => `in ${name}`,
  addresses: (count: number) => plural(count, { one: '# address', other: '# addresses' }),
  since: (time: string, by: string) => `since ${time}, by ${by}`,
  byCommand: 'a command',
  deletedAccount: 'a deleted account',
  untilTime: (time: string) => `until ${time}`,
  untilLifted: 'until it is lifted',
  lifted: (time: string) => `lifted ${time}`,
  expired: (time: string) => `ended ${time}`,
  endsSoon: 'Ends soon',
  lift: 'Lift',
  liftNamed: (subject: string) => `Lift the ban of ${subject}`,
  liftQuestion: (subject: string) => `Lift the ban of ${subject}? Its points return to the leaderboards.`,
  liftedNow: (subject: string) => `The ban of ${subject} was lifted`,
  ofPerson: 'Bans',
  noneOfPerson: 'This account was never banned.',
  manage: 'Manage bans',
})
