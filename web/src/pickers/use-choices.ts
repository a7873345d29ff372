import { useDebouncedValue } from '@mantine/hooks'
import { useQueries, useQuery } from '@tanstack/react-query'
import { queryClient } from '../api/session.ts'
import { picker as texts } from '../texts/index.ts'
import type { Choice, Source } from './source.ts'

/** While a user types, the service is asked after this pause. */
const PAUSE_MS = 150

const nameKey = ({ key }: Source, id: string) => ['picker', key, 'one', id]

/** The options of a picker for a text: objects that are not picked, and the text itself if it can only be an ID. */
export function useChoices(source: Source, text: string, picked: readonly string[], enabled: boolean) {
  const [asked] = useDebouncedValue(text, PAUSE_MS)
  const search = useQuery({
    queryKey: ['picker', source.key, 'search', asked],
    queryFn: () => source.find(asked),
    placeholderData: (before) => before,
    enabled,
    staleTime: 0,
    retry: false,
  })
  const isPending = enabled && (search.isFetching || asked !== text)
  const found = search.data ?? []
  const choices = found.filter(({ id }) => !picked.includes(id))
  const isNew = !isPending && !found.some(({ id }) => id === text) && !picked.includes(text)
  const offered: Choice[] =
    isNew && mayBeId(source, text, found) ? [...choices, { id: text, name: texts.useId(text) }] : choices
  return { found, offered, isPending, error: search.error, readAgain: () => void search.refetch() }
}

export const mayBeId = ({ idPattern, hasNamesLikeIds }: Source, text: string, found: readonly Choice[]): boolean =>
  idPattern.test(text) && !(hasNamesLikeIds && found.length > 0)

/** The names of picked objects; the ID where no name can be read. */
export function useNames(source: Source, ids: readonly string[]): Choice[] {
  const found = useQueries({
    queries: ids.map((id) => ({
      queryKey: nameKey(source, id),
      queryFn: async (): Promise<Choice> => {
        const read =
          source.one ?? (async (wanted: string) => (await source.find(wanted)).find((one) => one.id === wanted))
        return (await read(id)) ?? { id, name: id }
      },
      staleTime: Infinity,
      retry: false,
    })),
  })
  return ids.map((id, place) => ({ id, name: found[place]?.data?.name ?? id }))
}

/** Spares a request for the name of an object that was just offered. */
export const rememberName = (source: Source, choice: Choice): void =>
  void queryClient.setQueryData(nameKey(source, choice.id), choice)
