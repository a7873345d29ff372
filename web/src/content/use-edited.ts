import { useState } from 'react'

export interface Edited<T> {
  /** The values with which the form starts; its version is the key of the form. */
  saved: T
  /** The version that the next change is based on. */
  version: string
  /** Starts the form again, with these values. */
  start: (object: T) => void
  /** Takes over the version of a change made outside the form, and keeps the input. */
  keepInput: (changed: { version: string }) => void
  /** Starts the form again with the current values, and clears the error. */
  reload: (refused: { reset: () => void }) => void
}

/**
 * An object and the form that edits it. Pages read objects again in the background, which must not discard the input. A
 * save then fails if another person has changed the object.
 */
export function useEdited<T extends { version: string }>(
  read: T,
  readAgain: () => Promise<{ data: T | undefined }>,
): Edited<T> {
  const [saved, setSaved] = useState(read)
  const [version, setVersion] = useState(read.version)
  const start = (object: T) => {
    setSaved(object)
    setVersion(object.version)
  }
  const reload = async (refused: { reset: () => void }) => {
    const { data } = await readAgain()
    if (!data) return
    refused.reset()
    start(data)
  }
  return {
    saved,
    version,
    start,
    keepInput: (changed) => setVersion(changed.version),
    reload: (refused) => void reload(refused),
  }
}
