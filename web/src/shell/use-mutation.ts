import { useMutation as useEachMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query'
import { useCallback, useLayoutEffect, useRef } from 'react'

/**
 * Like useMutation of TanStack Query, but a call is ignored until the page shows that the previous one has started. A button
 * is disabled only after this render, so a double click would otherwise create two objects.
 */
export function useMutation<Data = unknown, Failure = Error, Input = void, Context = unknown>(
  options: UseMutationOptions<Data, Failure, Input, Context>,
): UseMutationResult<Data, Failure, Input, Context> {
  const mutation = useEachMutation(options)
  const { mutate: start } = mutation
  const hasStarted = useRef(false)
  useLayoutEffect(() => void (hasStarted.current = false))
  const mutate: typeof start = useCallback(
    (...call) => {
      if (hasStarted.current) return
      hasStarted.current = true
      start(...call)
    },
    [start],
  )
  return { ...mutation, mutate }
}
