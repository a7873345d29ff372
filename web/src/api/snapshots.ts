import { infiniteQueryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import type { snapshots } from '../texts/index.ts'
import { change, queryClient } from './session.ts'

export type SnapshotKind = 'space' | 'credential' | 'quest'

interface Counts {
  kind: SnapshotKind
  name: string
  asOf: string
  members: number
  /** The sum, as decimal digits. */
  points: string
  leaves: number
  leftOut: number
  banned: number
}

export interface ListedMember {
  rank: number
  address: string
  name: string
  points: number
  /** Why the member is not in the Merkle tree; null: it is. */
  leftOut: 'no_evm_address' | 'negative_points' | null
}

export interface SnapshotPreview extends Counts {
  bytes: number
  firstMembers: ListedMember[]
  firstLeftOut: ListedMember[]
}

export interface Snapshot extends Partial<Counts> {
  id: string
  kind: SnapshotKind
  name: string
  spaceId: number | null
  sprintId: number | null
  credentialId: string | null
  questId: string | null
  asOf: string
  public: boolean
  note: string | null
  state: 'waiting' | 'sealed' | 'failed'
  failure: string | null
  failureCode: keyof (typeof snapshots)['failures'] | null
  digest: string | null
  root: string | null
}

export interface SnapshotRequest {
  spaceId?: number
  sprintId?: number
  credentialId?: string
  questId?: string
  at?: string
  public?: boolean
  note?: string
}

export const FORMATS = ['csv', 'ndjson', 'airdrop', 'disperse'] as const

const WATCH_MS = 2_000

interface Page {
  items: Snapshot[]
  next: string | null
}

/** The snapshots that a page shows: of the whole installation, or of one space. */
export function snapshotsOf(spaceId: number | null) {
  const path = spaceId === null ? '/api/operator/snapshots' : `/api/spaces/${spaceId}/snapshots`
  const queryKey = ['snapshots', path]
  const changing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } finally {
      await queryClient.invalidateQueries({ queryKey })
    }
  }
  return {
    spaceId,
    /** Read again while a snapshot waits. */
    query: infiniteQueryOptions({
      queryKey,
      queryFn: ({ pageParam }) => send<Page>('GET', pageParam === null ? path : `${path}?after=${pageParam}`),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next }) => next,
      staleTime: 0,
      refetchInterval: ({ state }) =>
        state.data?.pages.some(({ items }) => items.some((one) => one.state === 'waiting')) ? WATCH_MS : false,
    }),
    preview: (request: SnapshotRequest) => change<SnapshotPreview>('POST', `${path}/preview`, request),
    create: (request: SnapshotRequest) => changing(change<Snapshot>('POST', path, request)),
    remove: (id: string) => changing(change('DELETE', `${path}/${id}`)),
    /** @throws ApiFailure 404 with the field `address` if no member of the list has it */
    findMember: (id: string, address: string) =>
      send<SnapshotMember>('GET', `${path}/${id}/members/${encodeURIComponent(address)}`),
    fileUrl: (id: string, format: string) => `${path}/${id}/download?format=${format}`,
  }
}

export interface SnapshotMember {
  /** In its canonical spelling. */
  address: string
  /** Of a board; undefined in other lists. */
  rank?: number
  points?: number
  jwt: string
  /** Typed data with its signature; null without QUESTBOARD_STATEMENT_KEY, and unless the address is an EVM address. */
  eip712: object | null
  /** The hashes of the Merkle proof; null outside of the tree. */
  proof: string[] | null
}

export type Snapshots = ReturnType<typeof snapshotsOf>
