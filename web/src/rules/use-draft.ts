import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Rule } from '../api/rules.ts'
import { sessionQuery } from '../api/session.ts'
import { tabStorage } from '../shell/tab-storage.ts'
import { type Draft, draftOf } from './drafts.ts'
import { unshowable } from './rule-shape.ts'

/** Rules that were edited and are not published. */
export interface Editing {
  /** The version that they are based on; 0: none. */
  base: number
  drafts: readonly Draft[]
}

export interface Edits {
  editing: Editing | undefined
  /** Changes with each start. */
  round: number
  edit: (editing: Editing) => void
  /** Loads other rules into the editor; undefined for the published ones. */
  start: (editing: Editing | undefined) => void
}

/** The edits of a space. They stay in the tab, because to publish can require a new sign-in, which leaves the page. */
export function useDraft(spaceId: number): Edits {
  const account = useQuery(sessionQuery).data?.account?.id ?? ''
  const name = `rules of space ${spaceId} by ${account}`
  const [editing, setEditing] = useState(() => read(name))
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (editing === undefined) tabStorage.removeItem(name)
    else tabStorage.setItem(name, JSON.stringify({ base: editing.base, rules: editing.drafts.map(ruleOf) }))
  }, [name, editing])
  const start = (next: Editing | undefined) => {
    setEditing(next)
    setRound(round + 1)
  }
  return { editing, round, edit: setEditing, start }
}

export const ruleOf = ({ rule }: Draft): Rule => rule

function read(name: string): Editing | undefined {
  const text = tabStorage.getItem(name)
  if (text === null) return undefined
  const { base, rules } = JSON.parse(text) as { base: number; rules: Rule[] }
  return unshowable(rules) === undefined ? { base, drafts: rules.map(draftOf) } : undefined
}
