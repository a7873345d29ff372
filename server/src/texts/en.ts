import type { PageFormat } from './page-format.ts'

/** The default of QUESTBOARD_DESCRIPTION. Pages show it in their own language. */
export const DEFAULT_DESCRIPTION = 'Loyalty programmes, quests and credentials of communities'

/** The English catalogue of the pages that the service writes. The other ones have its type. */
export const english = ({ number, plural }: PageFormat) => {
  const members = (count: number) => plural(count, { one: '# member', other: '# members' })
  const users = (count: number) => plural(count, { one: '# user', other: '# users' })
  return {
    frame: {
      skip: 'Skip to content',
      pages: 'Pages',
      explore: 'Explore',
      playground: 'Playground',
      manual: 'Manual',
      signIn: 'Sign in',
      account: 'Your account',
      /** In place of the default of the setting. */
      description: DEFAULT_DESCRIPTION,
    },

    rank: 'Rank',
    member: 'Member',
    /** Next to the own name. */
    you: 'You',
    completed: 'Completed',
    points: 'Points',
    quest: 'Quest',
    quests: 'Quests',
    sprints: 'Sprints',
    sprint: (id: number) => `Sprint ${id}`,
    periodFrom: (date: string) => `from ${date}`,
    periodUntil: (date: string) => `until ${date}`,
    rankNumber: (rank: number) => `Rank ${number(rank)}`,
    of: (part: number, all: number) => `${number(part)} of ${number(all)}`,
    members,
    pointsCount: (count: number) => plural(count, { one: '# point', other: '# points' }),
    pointsWord: (count: number) => plural(count, { one: 'point', other: 'points' }),
    up: (places: number) => plural(places, { one: 'up # place', other: 'up # places' }),
    down: (places: number) => plural(places, { one: 'down # place', other: 'down # places' }),
    rankLine: (first: number, last: number, best: number) =>
      `Rank ${number(first)} to ${number(last)}, best ${number(best)}`,
    periods: { '24h': '24h', '7d': '7d', '30d': '30d' },
    tooManyRequests: 'Too many requests; try again later.',

    home: {
      communities: 'Communities',
      none: 'No community has a public page yet.',
      noneBefore: 'Owners publish the page of a space in ',
      noneHelp: 'How to publish a page',
      more: 'More communities',
      myQuests: 'My quests',
      membersWord: (count: number) => plural(count, { one: 'member', other: 'members' }),
      line: (from: number, to: number, days: number) =>
        `${number(from)} to ${members(to)} in ${plural(days, { one: '# day', other: '# days' })}`,
      noChange: 'no change this week',
      /** The amount is before the first part, which only screen readers read. */
      more7: { hidden: ' new', shown: ' this week' },
      fewer7: { hidden: ' fewer', shown: ' this week' },
      build: 'Build on it',
      buildLead:
        'Read leaderboards, quests and credentials with one GraphQL endpoint, and sign users in with OAuth 2.0.',
      openPlayground: 'Open the playground',
      quickStart: 'Quick start',
      jsonApi: 'JSON API',
    },

    space: {
      description: (count: number, name: string) =>
        `${plural(count, { one: '# member competes', other: '# members compete' })} in ${name}.`,
      leaderboard: 'Leaderboard',
      full: 'Full leaderboard',
      empty: 'No members yet.',
      next: 'Next members',
      first: 'First places',
      caption: (period: string) => `Members by points; movement in ${period}`,
      overall: 'All time',
      movement: 'Rank change',
      /** The heading of a chart. */
      rankIn: (days: number) => `Rank, ${plural(days, { one: '# day', other: '# days' })}`,
    },

    find: {
      label: 'Find a member',
      placeholder: 'Name or address',
      find: 'Find',
      me: 'Find me',
      absent: 'You are not on this leaderboard yet. You appear with your first points.',
      none: (text: string) =>
        `No member of this leaderboard has a name or an address that begins with “${text}”. New members appear with their first points. To find a member without a name, search for the address, or for the short ID that the page shows instead of a name. It is looked up among the first 10,000 members.`,
      caption: (text: string) => `Members that match “${text}”`,
      first: (count: number) => `These are the first ${number(count)}. Type more to find others.`,
    },

    questList: {
      none: 'No quests are active now.',
      open: (count: number) => plural(count, { one: '# quest is active.', other: '# quests are active.' }),
      isOpen: 'Active',
      openUntil: (date: string) => `Active until ${date}`,
      soon: 'Starts soon',
      startsOn: (date: string) => `Starts ${date}`,
      endedOn: (date: string) => `Ended ${date}`,
      all: (count: number) => plural(count, { one: 'See # quest', other: 'See all # quests' }),
      more: (count: number) => plural(count, { one: 'and # more quest', other: 'and # more quests' }),
    },

    questsPage: {
      title: (space: string) => `Quests of ${space}`,
      description: (count: number, space: string) =>
        `${plural(count, { one: '# quest', other: '# quests' })} of ${space}: active, not started and ended.`,
      count: (count: number) => plural(count, { one: '# quest', other: '# quests' }),
      state: 'State of the quests',
      all: 'All',
      states: { open: 'Active', upcoming: 'Not started', ended: 'Ended or full' },
      none: 'No quests.',
      next: 'Next quests',
    },

    memberPage: {
      description: (rank: number, all: number, space: string, points: number) =>
        `Rank ${number(rank)} of ${number(all)} in ${space}, with ${plural(points, { one: '# point', other: '# points' })}.`,
      betterThan: 'Better than',
      inPeriods: { '24h': 'In 24h', '7d': 'In 7d', '30d': 'In 30d' },
      isNew: 'new',
      noChange: 'no change',
      bestAndWorst: (best: number, worst: number) => `Best rank ${number(best)}, worst rank ${number(worst)}`,
      lastDays: (days: number) => `Rank in the last ${plural(days, { one: '# day', other: '# days' })}`,
      around: 'Around this rank',
      openQuests: 'Active quests',
      allCompleted: 'All active quests are completed.',
      sprint: 'Sprint',
      latest: 'Latest changes',
      time: 'Time (UTC)',
      change: 'Change',
    },

    questPage: {
      statuses: { Active: 'Active', NotStarted: 'Not started', Expired: 'Ended', CapReached: 'Full' },
      description: (space: string) => `A quest of ${space}.`,
      status: 'Status',
      participants: 'Participants',
      participantsOf: (cap: number) => `Participants of ${number(cap)}`,
      starts: 'Starts',
      ends: 'Ends',
      complete: 'Complete this quest',
      yourCompletion: 'Your completion',
      needed: 'What you need',
      all: 'All of these:',
      any: 'One of these:',
      noCondition: 'No condition: open to everyone.',
      rewards: 'Rewards',
      rewardTypes: {
        LOYALTYPOINTS: 'Loyalty points',
        NFT: 'NFT',
        TOKEN: 'Token',
        OAT: 'OAT',
        DISCORDROLE: 'Discord role',
        MINTLIST: 'Mint list',
        LOYALTYPOINTSMYSTERYBOX: 'Loyalty points, random',
        CUSTOM: 'Other',
      },
    },

    starboard: {
      name: 'Starboard',
      description: (count: number, name: string) =>
        `${plural(count, { one: '# ranked user', other: '# ranked users' })} in ${name}.`,
      users,
      ranking: 'Ranking',
      empty: 'No ranked users yet.',
      next: 'Next users',
      reward: 'Reward',
      caption: 'Users by score, with the change of the score',
      user: 'User',
      score: 'Score',
      change24H: '24 h',
      change7D: '7 d',
      change30D: '30 d',
    },

    embed: {
      caption: (name: string) => `Rank, member and points of the first places in ${name}`,
      notRanked: 'Not ranked',
      badge: (value: string, name: string) => `${value} in ${name}`,
    },

    missing: {
      titles: {
        page: 'Page not found',
        space: 'Community not found',
        member: 'Member not found',
        quest: 'Quest not found',
        starboard: 'Ranking not found',
      },
      leads: {
        page: 'There is no page at this address. Check the address, or go to:',
        space: 'No community has this address. Its page may have moved, or it is not public any more. Go to:',
        member: 'No member of this community has this address. The member may have left the leaderboard. Go to:',
        quest: 'This quest does not exist, or it is not public. Go to:',
        starboard: 'This ranking does not exist, or it is not public. Go to:',
      },
      home: 'Home',
      own: 'My quests',
      places: {
        home: ': see the communities and their leaderboards',
        explore: ': search spaces, quests and rankings',
        exploreSignedIn: ': sign in, and search spaces, quests and rankings',
        own: ': your ranks, and the quests that you can complete',
        manual: ': read or search the documentation',
      },
    },

    signInFailed: {
      title: 'Sign-in failed',
      help: 'Go back to the app and try again. If the problem persists, contact the developer of the app.',
      /** Before a text that is English in every language. */
      detail: '',
      faults: {
        tooManyRequests: () => 'Too many sign-in requests from this network. Try again in a minute.',
        tooManyClients: () => 'Too many clients were looked up. Try again in a minute.',
        missing: (parameter: string) => `The parameter ${parameter} is missing.`,
        tooLong: () => 'The sign-in request is too long.',
        mediaType: () => 'Content-Type must be application/x-www-form-urlencoded.',
        clientUrl: () => 'This client_id cannot be used.',
        document: () => 'The metadata document of this client cannot be used.',
        redirectUri: () => 'The redirect_uri is not registered for this app. It must match a registered URI exactly.',
        host: (host: string) => `The operator allows no clients that lead users to the host ${host}.`,
        unknownApp: () => 'No app is registered under this client_id.',
        notApproved: () => 'This app is not approved, or it is suspended.',
        invalid: () => 'The request is invalid.',
        unavailable: () => 'The service is unavailable now.',
        failed: () => 'The service had an error.',
      },
    },

    visit: {
      title: 'The visit does not count',
      help: 'Sign in, open the quest, and select Visit again.',
      refusals: {
        forged: 'This link is not from here, or a part of it is missing.',
        'signed-out': 'You are not signed in here.',
        'other-account': 'This link belongs to another account.',
        changed: 'The quest has changed since the link was made.',
        expired: 'This link has expired. A link works for 15 minutes.',
        limited: 'There were too many requests. Wait a minute.',
      },
    },
  }
}
