import type { Format } from '../format.ts'

export const playground = ({ number, plural }: Format) => ({
  title: (brand: string) => `${brand} playground`,
  subtitle: 'Query playground',
  introduction: {
    before: 'Query starboards, spaces, credentials and quests through one GraphQL endpoint:',
    between: 'with the header',
    after: '. Choose an example, run it, and edit it. Full schema:',
  },

  token: {
    label: 'Server token',
    toggle: 'Show or hide the token',
    use: 'Use token',
    forget: 'Forget token',
    kept: 'Stored only in this tab.',
    empty: 'Enter a token.',
    characters: 'Tokens contain only letters, digits and punctuation, without spaces.',
  },
  connection: {
    noToken: 'Queries require a server token or a session.',
    signIn: 'Sign in',
    noTokenHelp:
      'to send queries with your session, or paste a token above. A service with demo data prints one at startup after “demo token:”. Operators create tokens with',
    connecting: 'Loading the schema…',
    connected: '✓ Token accepted',
    signedInAs: (name: string) => `✓ Signed in as ${name}: queries use your session and the limits of the plan “free”`,
    refusedToken: 'Token not accepted',
    refusedOther: 'Schema could not be loaded',
    retryAfter: (seconds: number) =>
      plural(seconds, { one: 'Try again in # second.', other: 'Try again in # seconds.' }),
  },
  views: { label: 'View', examples: 'Examples', docs: 'Docs', request: 'Query', response: 'Response' },
  examples: {
    heading: 'Examples',
    note: 'Every operation, with the demo data.',
    areas: { starboards: 'Starboards', spaces: 'Spaces', credentials: 'Credentials', quests: 'Quests' },
    /** By the name of the operation. */
    list: {
      StarboardInfo: { title: 'Get a starboard', text: 'Name, project, type, reward' },
      StarboardLeaderboard: { title: 'List the ranking', text: 'For the next page, set "after" to pageInfo.endCursor' },
      StarboardUser: { title: 'Find one ranked user', text: 'By X handle' },
      TwitterHandleByEvmAddress: { title: 'Get the handle of an address', text: 'The X user of an EVM address' },
      StarboardUserDetail: {
        title: 'Get the scores of an address',
        text: 'Own activity, and influence through other users',
      },
      SpaceInfo: { title: 'Get a space', text: 'Name and description' },
      SpaceRanks: {
        title: 'List loyalty points',
        text: 'For the next page, set "cursorAfter" to pageInfo.endCursor. For one sprint, set "sprintId"',
      },
      SpaceLoyaltyPointsRanks: {
        title: 'Query loyalty points at the root',
        text: 'The same list as a field of the root type',
      },
      MemberRank: { title: 'Get the rank of a member', text: 'Exact at any depth; null if not on the leaderboard' },
      MemberRanks: {
        title: 'Get the ranks of many members',
        text: 'Up to 100 addresses, from the same version of the leaderboard',
      },
      RanksAroundMember: {
        title: 'Get the page around a member',
        text: 'With cursors to the pages before and after it',
      },
      SpaceSprints: { title: 'List the sprints of a space', text: 'Pass their "id" as "sprintId"' },
      PointsHistory: {
        title: 'List the changes of a member’s points',
        text: 'Newest first; reasons only for the owner and admins of the space',
      },
      CredentialInfo: { title: 'Get a credential', text: 'Type, source, holders, sync status' },
      CredentialEligibility: {
        title: 'Check the eligibility of an address',
        text: '1 or 0; reliable while syncStatus is SYNCED',
      },
      QuestInfo: { title: 'Get a quest', text: 'Status, period, participants, points' },
      QuestList: { title: 'List the quests of a space', text: 'Filtered by status and type' },
      QuestEligibility: {
        title: 'Check an address for a quest',
        text: 'Conditions and rewards, evaluated for the address',
      },
    } as Record<string, { title: string; text: string }>,
  },
  docs: {
    heading: 'Documentation',
    needsToken: 'Sign in or enter a token to load the documentation.',
    search: 'Search types and fields',
    nothingFound: 'No type or field has this name.',
    schema: 'Schema',
    rootTypes: 'Root types',
    allTypes: 'All types',
    fields: 'Fields',
    values: 'Values',
    arguments: 'Arguments',
    implements: 'Implements',
    possibleTypes: 'Possible types',
    deprecated: 'Deprecated',
  },
  request: {
    heading: 'Query',
    variables: 'Variables (JSON)',
    editorLabel: 'GraphQL query',
    variablesLabel: 'JSON variables',
    run: 'Run',
    stop: 'Stop',
    shortcut: 'Press Ctrl+Enter to run the query',
    prettify: 'Format',
    copyCurl: 'Copy as curl',
    copyFailed: 'The browser blocked copying',
    variablesNotJson: (reason: string) => `Variables must be JSON: ${reason}`,
  },
  response: {
    heading: 'Response',
    editorLabel: 'JSON response',
    none: 'Run a query to see the response.',
    running: 'Waiting for the response…',
    unreachable: 'No response',
    noResponse: (reason: string) => `The service did not respond: ${reason}`,
    notGraphql: (status: number, body: string) => `HTTP ${status}, but the body is not a GraphQL response: ${body}`,
    status: (status: number) => `HTTP ${status}`,
    milliseconds: (value: number) => `${number(value)} ms`,
    request: 'Request ID',
    errors: (count: number) => plural(count, { one: '# error', other: '# errors' }),
    at: 'at',
  },
  /** Texts of the editors, by the English text that they replace. */
  editorPhrases: {} as Record<string, string>,
})
