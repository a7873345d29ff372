/** Type, status, title and description of the demo's quests, by space. */
export type QuestStage = 'running' | 'scheduled' | 'over' | 'full' | 'draft' | 'deleted'

export interface QuestText {
  id?: string
  type: 'Drop' | 'MysteryBox' | 'Airdrop' | 'Points' | 'ExternalLink' | 'Bounty'
  stage: QuestStage
  name: string
  description: string
  isPrivate?: boolean
  /** Places, all of them taken, of a quest that is full. */
  cap?: number
  /** Minutes from the load time until it starts or ends, where chance does not decide. */
  startsIn?: number
  endsIn?: number
}

const quest = (
  stage: QuestStage,
  type: QuestText['type'],
  name: string,
  description: string,
  rest: Pick<QuestText, 'cap' | 'startsIn' | 'endsIn'> = {},
): QuestText => ({
  stage,
  type,
  name,
  description,
  ...rest,
})

/** Quests that documentation, tests and examples ask for by id. */
export const EXAMPLE_QUESTS = {
  active: 'GChdWUjXX3',
  ownPrivate: 'GCp4kVtR2e',
  foreignPrivate: 'GCq9XwLm7b',
  draft: 'GCd2RafT8n',
  deleted: 'GCx7DelQ4z',
  full: 'GCf5FuLL9c',
} as const

export const questTexts: Readonly<Record<number, readonly QuestText[]>> = {
  40: [
    {
      id: EXAMPLE_QUESTS.active,
      stage: 'running',
      type: 'Drop',
      name: 'Explorer Pass: season 2',
      description:
        'Prove that you know the way across: join the community, hold the history, and take the pass that opens every quest of this season.',
    },
    {
      id: EXAMPLE_QUESTS.ownPrivate,
      stage: 'running',
      type: 'Points',
      name: 'Relayer rehearsal (invited operators)',
      description: 'Run a relayer on the rehearsal network for a week. By invitation only.',
      isPrivate: true,
    },
    {
      id: EXAMPLE_QUESTS.draft,
      stage: 'draft',
      type: 'MysteryBox',
      name: 'Season finale box',
      description: 'Contents to be decided by the council.',
    },
    {
      id: EXAMPLE_QUESTS.deleted,
      stage: 'deleted',
      type: 'ExternalLink',
      name: 'Old testnet faucet',
      description: 'The faucet was switched off.',
    },
    {
      id: EXAMPLE_QUESTS.full,
      stage: 'full',
      type: 'Airdrop',
      name: 'First 400: early route rebate',
      description: 'The first four hundred who took the new route get their fee back.',
    },
    quest('running', 'Points', 'Bridge on three days', 'Bridge any amount on three different days of the season.'),
    quest(
      'running',
      'Points',
      'Read the route guide',
      'Ten minutes that save you a detour: open the guide and read it.',
    ),
    quest(
      'running',
      'MysteryBox',
      "Navigator's box",
      'Liquidity providers open a box: points, a role, or one of thirty passes.',
    ),
    quest(
      'running',
      'Bounty',
      'Find a broken route',
      'Report a route that quotes wrong. Each accepted report is paid in USDC.',
    ),
    quest('running', 'ExternalLink', 'Testnet 3 check-in', 'Connect to the third testnet and sign the guest book.'),
    quest('running', 'Drop', 'MIP-7 voter badge', 'For everyone who voted on relayer fees, whichever way.'),
    quest('running', 'Points', 'Share the season', 'Repost the announcement of season 2, and follow along.'),
    quest('running', 'Airdrop', 'Liquidity week', 'Provide liquidity for seven days in a row and share the pot.'),
    quest('scheduled', 'Drop', 'Polar crossing', 'A new chain joins. Be among those who cross on the first day.'),
    quest('scheduled', 'Points', 'Map the fees', 'Help to chart what a crossing costs, hour by hour.'),
    quest('scheduled', 'Bounty', 'Translate the safety quiz', 'We look for Hindi, Turkish and Vietnamese.'),
    quest('over', 'Drop', 'Season 1 compass', 'For all who crossed in season 1.'),
    quest('over', 'Points', 'Bridge safety quiz', 'Ten questions. Eight right answers earn the points.'),
    quest('over', 'Airdrop', 'Genesis thank-you', 'A thank-you to those who bridged before there was a road.'),
    quest('over', 'MysteryBox', 'Winter solstice box', 'One box on the longest night.'),
    quest('over', 'ExternalLink', 'Community call #12', 'Come to the call and take the passphrase home.'),
    quest('over', 'Bounty', 'Write a route explainer', 'The three clearest explainers were paid.'),
  ],
  41: [
    quest('running', 'Points', 'Test release 0.9', 'Install the release candidate and send one transaction.'),
    quest('running', 'Drop', 'Translator badge', 'For everyone who translated ten strings or more.'),
    quest('running', 'Bounty', 'Break the backup flow', 'Show how the recovery of a wallet can go wrong.'),
    quest('running', 'ExternalLink', 'Newsletter passphrase', 'The word of the month stands in the newsletter.'),
    quest('scheduled', 'Airdrop', 'One-year rebate', 'A year of Lumen: the fees of your first swap come back.'),
    quest(
      'scheduled',
      'Points',
      'Screen reader sprint',
      'Use the wallet with a screen reader and tell us where it hurts.',
    ),
    quest('over', 'Points', 'Beta, week one', 'Open the beta on three days.'),
    quest('over', 'MysteryBox', 'Lantern festival', 'A lantern for every tester, some of them golden.'),
    quest('full', 'Drop', 'Hundred first testers', 'Gone within the hour. Thank you!', { cap: 100 }),
  ],
  42: [
    quest('running', 'Points', 'Ten ranked matches', 'Play ten ranked matches in the alpha cup.'),
    quest('running', 'MysteryBox', 'Forge box', 'Owners of a founder skin forge a second one.'),
    quest('running', 'Bounty', 'Exploit hunt', 'Crash the arena server. Fairly.'),
    quest('running', 'Drop', 'Spectator badge', 'Watch the semi-final in the client.', { endsIn: 120 }),
    quest('scheduled', 'Airdrop', 'Alpha cup prize', 'The pot of the cup, by final standing.'),
    quest('over', 'Points', 'Stress test Sunday', 'Nine hundred players, one island.'),
    quest('over', 'ExternalLink', 'Vote for the map', 'The harbor map won.'),
    quest('full', 'Points', 'Friend of the forge', 'Bring a friend. Two hundred did.', { cap: 200 }),
  ],
  43: [
    quest('running', 'Points', 'Vote in season 5', 'Any vote counts.'),
    quest('running', 'Bounty', 'Calibrate a station', 'Compare your barometer with the nearest airport.'),
    quest('scheduled', 'Drop', 'First frost', 'Minted by the stations when the first of them reports frost.'),
    quest('over', 'Points', 'Vote in season 4', 'Any vote counted.'),
    quest('over', 'Airdrop', 'Keeper stipend, spring', 'Paid to keepers whose stations reported on 80 of 90 days.'),
    quest('running', 'ExternalLink', 'Storm diary', 'Write down what you saw in last week’s storm.'),
  ],
  44: [
    quest('running', 'Drop', 'Eleventh moon tree', 'Planted and minted at the full moon.'),
    quest('running', 'Points', 'Draw a leaf', 'Sixteen by sixteen pixels, three colors.'),
    quest('scheduled', 'MysteryBox', 'Pick an apple', 'Tree owners pick one apple. Some have worms.'),
    quest('over', 'Drop', 'Tenth moon tree', 'Planted and minted at the full moon.'),
    quest('over', 'Bounty', 'Orchard song', 'Eight bars for the trailer.'),
  ],
  45: [
    quest('running', 'Bounty', 'Map a lending protocol', 'Who calls whom, and why. Any format that prints.'),
    quest('running', 'Points', 'Review a map', 'Two reviews make a map official.'),
    quest('over', 'Drop', 'Founding cartographer', 'For the first forty.'),
  ],
  46: [
    quest('running', 'Points', 'Read: account compression', 'Read the paper, come with one question.'),
    quest('scheduled', 'Bounty', 'Replicate a benchmark', 'Small grants for those who measure again.'),
    quest('over', 'Points', 'Read: fee markets', 'The notes are in the archive.'),
  ],
  47: [quest('scheduled', 'Points', 'Good morning', 'Be there at the first light.', { startsIn: 30 })],
  48: [
    {
      id: EXAMPLE_QUESTS.foreignPrivate,
      stage: 'running',
      type: 'Drop',
      name: 'Crew pass: spring tour',
      description: 'For the crews of the spring tour.',
      isPrivate: true,
    },
    quest('running', 'ExternalLink', 'Open stage sign-up', 'Play three songs at a venue near you.'),
    quest('over', 'Drop', 'Winter tour stub', 'Keep the stub.'),
  ],
}
