import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { SecurityEvent } from '../api/account.ts'
import { account as texts } from '../texts/index.ts'

const t = texts.security
/** Stands for the object in a sentence, until a link replaces it. */
const OBJECT = '\u0000'
/** The service makes these keys. They have no meaning for people. */
const MADE_KEY = /^manual-/

/** The page of each kind of object. */
const pages: Record<string, (id: string) => string> = {
  space: (id) => `/content/spaces/${id}`,
  // The id of a sprint begins with that of its space.
  sprint: (id) => `/content/spaces/${id.split('-')[0]}`,
  quest: (id) => `/content/quests/${encodeURIComponent(id)}`,
  credential: (id) => `/content/credentials/${encodeURIComponent(id)}`,
  starboard: (id) => `/content/starboards/${encodeURIComponent(id)}`,
}

export const isObject = (kind: string): boolean => kind in pages

/** "space 40", with a link to the page of the object unless it is deleted. */
export function ObjectName({ kind, id, deleted = false }: { kind: string; id: string; deleted?: boolean }) {
  const name = `${t.details[kind] ?? kind} ${kind === 'sprint' ? id.split('-').at(-1) : id}`
  const href = pages[kind]?.(id)
  return deleted || href === undefined ? (
    name
  ) : (
    <Link href={href} className="text-link">
      {name}
    </Link>
  )
}

interface Described {
  title: ReactNode
  /** The details that the title does not contain. */
  rest: Record<string, string>
}

/** The sentence for an event about an object, or else the name of the event. */
export function describeEvent({ event, details = {} }: SecurityEvent): Described {
  const { kind = '', id = '', ...others } = details
  const { space = '', points, key, ...rest } = details
  const about = t.aboutObject[event]
  if (about && id !== '' && isObject(kind)) {
    // A space is not a detail of itself.
    if (kind === 'space') delete others.space
    return {
      title: fill(about(OBJECT), <ObjectName kind={kind} id={id} deleted={event === 'data.deleted'} />),
      rest: others,
    }
  }
  if (event === 'points.awarded' && space !== '') {
    const sentence = t.awarded(points === undefined ? undefined : Number(points), OBJECT)
    const isMade = key === undefined || MADE_KEY.test(key)
    return { title: fill(sentence, <ObjectName kind="space" id={space} />), rest: isMade ? rest : { ...rest, key } }
  }
  return { title: t.events[event] ?? event, rest: details }
}

function fill(sentence: string, object: ReactNode): ReactNode {
  const [before, after] = sentence.split(OBJECT)
  return (
    <>
      {before}
      {object}
      {after}
    </>
  )
}
