import {
  hashKey,
  useMutation as useEachMutation,
  type UseMutationOptions,
  type UseMutationResult,
} from '@tanstack/react-query'
import { useRef } from 'react'

/**
 * Like useMutation of TanStack Query, but a call is ignored while one with the same input runs. A button is disabled only
 * after the next render, so a double click would otherwise create two objects.
 */
export function useMutation<Data = unknown, Failure = Error, Input = void, Context = unknown>(
  options: UseMutationOptions<Data, Failure, Input, Context>,
): UseMutationResult<Data, Failure, Input, Context> {
  const mutation = useEachMutation(options)
  const running = useRef(new Set<unknown>())
  const mutate: typeof mutation.mutate = (...call) => {
    const key = keyOf(call[0])
    if (running.current.has(key)) return
    running.current.add(key)
    const end = () => void running.current.delete(key)
    mutation.mutateAsync(...call).then(end, end)
  }
  return { ...mutation, mutate }
}

/** Inputs that have no JSON, such as a window, are the same only if they are the same object. */
function keyOf(input: unknown): unknown {
  try {
    return hashKey([input])
  } catch {
    return input
  }
}
