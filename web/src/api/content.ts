import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

// Objects that people edit (docs/content.md).

export type EffectiveRole = 'owner' | 'admin' | 'editor' | 'viewer' | 'operator'

export interface Listed {
  id: string
  name: string
}

export interface ListedSpace extends Listed {
  standing: EffectiveRole
  /** Of the public page; null if the space has none. */
  slug: string | null
  /** The path of the logo; null without a logo. */
  logo: string | null
  members: number
  /** Drafts included. */
  quests: number
}

export interface ListedQuest extends Listed {
  status: string
  participantsCount: number
  isPrivate: boolean
}

export interface ListedCredential extends Listed {
  itemCount: number
}

interface Versioned {
  version: string
}

export interface SpaceForm {
  name: string
  description: string | null
  slug: string | null
}

export interface EditedSpace extends SpaceForm, Versioned {
  spaceId: number
  /** The path of the logo; null without a logo. */
  logo: string | null
  owner: { id: string; username: string } | null
  standing: EffectiveRole
}

export interface SprintForm {
  name: string
  startTime: string | null
  endTime: string | null
}

export interface EditedSprint extends SprintForm, Versioned {
  sprintId: number
}

export interface Condition {
  expression: string
  credentialId: string
}

export interface Reward {
  expression: string
  rewardType: string
  rewardCount: number
}

export interface ConditionGroup {
  id: string
  name: string
  conditionRelation: 'ALL' | 'ANY'
  conditions: Condition[]
  rewards: Reward[]
}

export interface QuestForm {
  name: string
  description: string
  type: string
  startTime: string | null
  endTime: string | null
  cap: number
  loyaltyPoints: number
  gasType: string
  chain: string | null
  isPrivate: boolean
  credentialGroups: ConditionGroup[]
}

export type QuestChanges = Partial<QuestForm & { status: string; autoStatus: boolean }>

export interface EditedQuest extends QuestForm, Versioned {
  id: string
  spaceId: number
  status: string
  autoStatus: boolean
  participantsCount: number
}

export interface Participant {
  address: string
  /** The name on leaderboards. */
  name: string
  completedAt: string
  /** Null for an imported participant. */
  points: number | null
}

export interface CredentialForm {
  name: string
  description: string
  credType: string
  credSource: string
  chain: string | null
  referenceLink: string
}

export interface EditedCredential extends CredentialForm, Versioned {
  id: string
  curatorSpaceId: number | null
  itemCount: number
  syncStatus: string
  /** The kind of its source; null if it has none. */
  sourceKind: string | null
}

export interface EvaluatedGroup {
  id: string
  conditions: { expression: string; eligible: boolean }[]
}

export const QUEST_TYPES = ['Drop', 'MysteryBox', 'Airdrop', 'Points', 'ExternalLink', 'Bounty'] as const
export const GAS_TYPES = ['Gasless', 'Gas'] as const
export const REWARD_TYPES = [
  'LOYALTYPOINTS',
  'NFT',
  'TOKEN',
  'OAT',
  'DISCORDROLE',
  'MINTLIST',
  'LOYALTYPOINTSMYSTERYBOX',
  'CUSTOM',
] as const
export const CRED_TYPES = ['EVM_ADDRESS', 'SOLANA_ADDRESS', 'TWITTER', 'DISCORD', 'GITHUB', 'EMAIL'] as const
export const CRED_SOURCES = [
  'CSV',
  'API',
  'QUIZ',
  'SURVEY',
  'VISIT_LINK',
  'CONTRACT_NFT_HOLDER',
  'WALLET_BALANCE',
  'SNAPSHOT_ORG',
  'DISCORD_MEMBER',
  'GITHUB_CONTRIBUTOR',
  'TWITTER_FOLLOW',
  'TWITTER_LIKE',
  'TWITTER_RT',
  'GOOGLE_SHEET',
  'GRAPHQL',
  'REST',
  'SUBGRAPH',
] as const

interface Page<T> {
  items: T[]
  next: string | null
}

const keys = {
  spaces: ['content', 'spaces'],
  space: (id: string) => ['content', 'spaces', id],
  sprints: (spaceId: number) => ['content', 'sprints', spaceId],
  quests: (spaceId: number) => ['content', 'quests', spaceId],
  quest: (id: string) => ['content', 'quest', id],
  participants: (questId: string, search: string) => ['content', 'participants', questId, search],
  credentials: (spaceId: number, search: string) => ['content', 'credentials', spaceId, search],
  credential: (id: string) => ['content', 'credential', id],
}

const read = <T>(path: string) => send<T>('GET', path)
const part = encodeURIComponent

/** Editors compare `version`, so they never use a cached response. */
const fresh = { staleTime: 0 }
const MAX_PAGE = 200

export const spacesQuery = (search: string) =>
  queryOptions({
    ...fresh,
    queryKey: [...keys.spaces, 'search', search],
    queryFn: () => read<Page<ListedSpace>>(`/api/spaces?first=${MAX_PAGE}&search=${part(search)}`),
  })
export const spaceQuery = (id: string) =>
  queryOptions({ ...fresh, queryKey: keys.space(id), queryFn: () => read<EditedSpace>(`/api/spaces/${part(id)}`) })
export const sprintsQuery = (spaceId: number) =>
  queryOptions({
    ...fresh,
    queryKey: keys.sprints(spaceId),
    queryFn: () => read<{ sprints: EditedSprint[]; running: number | null }>(`/api/spaces/${spaceId}/sprints`),
  })
export const questsQuery = (spaceId: number) =>
  queryOptions({
    ...fresh,
    queryKey: keys.quests(spaceId),
    queryFn: () => read<Page<ListedQuest>>(`/api/quests?spaceId=${spaceId}&first=${MAX_PAGE}`),
  })
export const questQuery = (id: string) =>
  queryOptions({ ...fresh, queryKey: keys.quest(id), queryFn: () => read<EditedQuest>(`/api/quests/${part(id)}`) })
interface ParticipantsPage extends Page<Participant> {
  /** Whether the search looked at every name and participant. */
  complete: boolean
}

export const participantsQuery = (questId: string, search: string) =>
  infiniteQueryOptions({
    queryKey: keys.participants(questId, search),
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ search, after: pageParam })
      return read<ParticipantsPage>(`/api/quests/${part(questId)}/participants?${query}`)
    },
    initialPageParam: '',
    getNextPageParam: ({ next }: ParticipantsPage) => next,
    staleTime: 0,
  })
export const participantsFile = (questId: string) => `/api/quests/${part(questId)}/participants/download`
export const credentialsQuery = (spaceId: number, search = '') =>
  queryOptions({
    ...fresh,
    queryKey: keys.credentials(spaceId, search),
    queryFn: () =>
      read<Page<ListedCredential>>(`/api/credentials?spaceId=${spaceId}&first=${MAX_PAGE}&search=${part(search)}`),
  })
export const credentialQuery = (id: string) =>
  queryOptions({
    ...fresh,
    queryKey: keys.credential(id),
    queryFn: () => read<EditedCredential>(`/api/credentials/${part(id)}`),
  })

export const createSpace = (form: Partial<SpaceForm>) => storing(change<EditedSpace>('POST', '/api/spaces', form))
export const changeSpace = (id: number, form: Partial<SpaceForm> & Versioned) =>
  storing(change<EditedSpace>('PATCH', `/api/spaces/${id}`, form))
/** @param image in base64 */
export const uploadLogo = (id: number, image: string) => storing(change('PUT', `/api/spaces/${id}/logo`, { image }))
export const removeLogo = (id: number) => storing(change('DELETE', `/api/spaces/${id}/logo`))
export const deleteSpace = (id: number) => storing(change('DELETE', `/api/spaces/${id}`))
export const exportSpace = (id: number) => read<object>(`/api/operator/programme?spaces=${id}`)
export const createSprint = (spaceId: number, form: SprintForm) =>
  storing(change<EditedSprint>('POST', `/api/spaces/${spaceId}/sprints`, form))
export const changeSprint = (spaceId: number, sprintId: number, form: SprintForm & Versioned) =>
  storing(change<EditedSprint>('PATCH', `/api/spaces/${spaceId}/sprints/${sprintId}`, form))
export const deleteSprint = (spaceId: number, sprintId: number) =>
  storing(change('DELETE', `/api/spaces/${spaceId}/sprints/${sprintId}`))
export const createQuest = (spaceId: number, form: QuestForm) =>
  storing(change<EditedQuest>('POST', '/api/quests', { ...form, spaceId, status: 'Draft' }))
export const changeQuest = (id: string, form: QuestChanges & Versioned) =>
  storing(change<EditedQuest>('PATCH', `/api/quests/${part(id)}`, form))
export const deleteQuest = (id: string) => storing(change('DELETE', `/api/quests/${part(id)}`))
export const previewGroups = (spaceId: number, address: string, credentialGroups: ConditionGroup[]) =>
  change<{ credentialGroups: EvaluatedGroup[] }>('POST', '/api/quests/preview', { spaceId, address, credentialGroups })
export const createCredential = (curatorSpaceId: number, form: CredentialForm) =>
  storing(change<EditedCredential>('POST', '/api/credentials', { ...form, curatorSpaceId }))
export const changeCredential = (id: string, form: CredentialForm & Versioned) =>
  storing(change<EditedCredential>('PATCH', `/api/credentials/${part(id)}`, form))
export const deleteCredential = (id: string) => storing(change('DELETE', `/api/credentials/${part(id)}`))

/** Reads the lists again after a change. A form keeps what its user has typed. */
async function storing<T>(work: Promise<T>): Promise<T> {
  const result = await work
  await queryClient.invalidateQueries({ queryKey: ['content'] })
  return result
}
