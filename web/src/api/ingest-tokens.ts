import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

export interface IngestToken {
  tokenId: string
  name: string
  /** Null allows all objects of the kind, and an empty list none. */
  scope: { spaceIds: number[] | null; starboardIds: string[] | null; credentialIds: string[] | null }
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  /** The last characters of its value; null for a token that was made before they were stored. */
  lastFour: string | null
  lastUsedAt: string | null
}

export interface NewIngestToken {
  name: string
  spaces: number[]
  starboards: string[]
  credentials: string[]
  expiresAt?: string
}

/** With the value, which the service shows once and does not keep. */
export interface IssuedIngestToken {
  token: string
  name: string
}

const path = '/api/ingest-tokens'

export const ingestTokensQuery = queryOptions({
  queryKey: ['ingest-tokens'],
  queryFn: () => send<{ tokens: IngestToken[] }>('GET', path),
})

export const createIngestToken = (token: NewIngestToken) => changing(change<IssuedIngestToken>('POST', path, token))
export const regenerateIngestToken = (id: string) =>
  changing(change<IssuedIngestToken>('POST', `${path}/${id}/regenerate`))
export const revokeIngestToken = (id: string) => changing(change<undefined>('DELETE', `${path}/${id}`))

async function changing<T>(work: Promise<T>): Promise<T> {
  const answer = await work
  await queryClient.invalidateQueries({ queryKey: ingestTokensQuery.queryKey })
  return answer
}
