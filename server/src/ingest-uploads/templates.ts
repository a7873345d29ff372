import { type KindName, kinds } from '../ingest/kinds.ts'

const member = '0x52908400098527886E0F7030069857D2E4169EE7'

/** An example of each kind. It refers only to examples before it. */
const EXAMPLES: Record<KindName, Record<string, string | number>> = {
  spaces: { spaceId: 7101, name: 'Example community', description: 'Shown on the page of the space' },
  sprints: {
    spaceId: 7101,
    sprintId: 1,
    name: 'Spring',
    startTime: '2026-03-01T00:00:00Z',
    endTime: '2026-06-01T00:00:00Z',
  },
  points: { spaceId: 7101, sprintId: 1, address: member, points: 250, username: 'mira' },
  awards: { key: 'order-1001', spaceId: 7101, address: member, points: 25, reason: 'First order' },
  starboards: { id: 'example', name: 'Example starboard', projectName: 'Example', type: 'TWITTER' },
  users: { starboardId: 'example', username: 'mira_builds', userId: '1415926535', name: 'Mira', followersCount: 1250 },
  samples: { starboardId: 'example', handle: 'mira_builds', sampledAt: '2026-11-20T12:00:00Z', score: 812.5 },
  links: { starboardId: 'example', evmAddress: member, handle: 'mira_builds' },
  credentials: {
    id: '710100000000000001',
    name: 'Early supporters',
    credType: 'EVM_ADDRESS',
    credSource: 'CSV',
    curatorSpaceId: 7101,
  },
  holders: { credentialId: '710100000000000001', address: member },
  quests: {
    id: 'GCexample1',
    spaceId: 7101,
    name: 'Support the project',
    type: 'Points',
    status: 'Active',
    credentialGroups:
      '[{"conditionRelation":"ANY","conditions":[{"credentialId":"710100000000000001"}],"rewards":[{"rewardType":"LOYALTYPOINTS","rewardCount":10}]}]',
  },
  participants: { questId: 'GCexample1', address: member, joinedAt: '2026-11-05T10:00:00Z' },
}

/** A CSV file with all fields of a kind, and one example. */
export function templateOf(kind: KindName): string {
  const names = Object.keys(kinds[kind].fields)
  const values = names.map((name) => String(EXAMPLES[kind][name] ?? ''))
  return `${names.join(',')}\n${values.map(quoted).join(',')}\n`
}

const quoted = (value: string): string => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)
