import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

export const STARBOARD_TYPES = ['TWITTER', 'ONCHAIN'] as const

export interface StarboardForm {
  name: string
  projectName: string
  description: string
  tags: string[]
  type: string
  rewardName: string | null
  rewardDescription: string | null
  rewardStartTime: string | null
  rewardEndTime: string | null
}

export interface EditedStarboard extends StarboardForm {
  id: string
  version: string
}

const path = '/api/starboards'
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`

export const editedStarboardQuery = (id: string) =>
  queryOptions({
    queryKey: ['content', 'starboard', id],
    queryFn: () => send<EditedStarboard>('GET', pathOf(id)),
    staleTime: 0,
  })

/** An empty ID: the service chooses one. */
export const createStarboard = (id: string, form: StarboardForm) =>
  storing(change<EditedStarboard>('POST', path, { ...form, id }))
export const changeStarboard = (id: string, form: StarboardForm & { version: string }) =>
  storing(change<EditedStarboard>('PATCH', pathOf(id), form))
export const deleteStarboard = (id: string) => storing(change('DELETE', pathOf(id)))

/** Reads the lists and the starboard again after a change. */
async function storing<T>(work: Promise<T>): Promise<T> {
  const result = await work
  await Promise.all(
    ['content', 'explore'].map((name) => queryClient.invalidateQueries({ queryKey: [name], refetchType: 'active' })),
  )
  return result
}
