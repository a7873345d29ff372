import type { ReactNode } from 'react'
import type { SecurityEvent } from '../api/account.ts'
import { account as texts, content } from '../texts/index.ts'
import { ObjectName, pages } from './event-names.tsx'
import { labelsOf } from './word-of-detail.ts'

const t = texts.security
/** The place of the object in a sentence, until a link replaces it. */
const OBJECT = '\u0000'
/** The texts of the forms, with the labels of their fields. */
const forms: Record<string, object> = {
  space: content.space,
  sprint: content.sprints,
  starboard: content.starboard,
  credential: content.credential,
  quest: content.quest,
}
/** The service makes these keys. They have no meaning for people. */
const MADE_KEY = /^manual-/

export const isObject = (kind: string): boolean => kind in pages

interface Described {
  title: ReactNode
  /** The details that the title does not contain. */
  rest: Record<string, string>
}

/** The sentence for an event about an object, or else the name of the event. */
export function describeEvent(event: SecurityEvent): Described {
  const { event: name, details = {} } = event
  const described = aboutObject(event) ?? (name === 'profile.changed' ? ofProfile(details) : undefined)
  return described ?? { title: t.events[name] ?? name, rest: details }
}

function aboutObject({ event, details = {} }: SecurityEvent): Described | undefined {
  const { kind: stored = '', id = '', ...others } = details
  const { space = '', points, key, ...rest } = details
  // Events of snapshots name a sprint as the space `40-3`.
  const kind = stored === 'space' && id.includes('-') ? 'sprint' : stored
  const about = t.aboutObject[event]
  if (about && id !== '' && isObject(kind)) {
    // A space is not a detail of itself.
    if (kind === 'space') delete others.space
    if (others.fields) others.fields = labelsOf(others.fields, { ...t.objectFields, ...forms[kind] })
    return {
      title: fill(about(OBJECT), <ObjectName kind={kind} id={id} deleted={event === 'data.deleted'} />),
      rest: event.startsWith('snapshot.') ? ofSnapshot(event, kind, id, others) : others,
    }
  }
  if (event === 'points.awarded' && space !== '') {
    const sentence = t.awarded(points === undefined ? undefined : Number(points), OBJECT)
    const isMade = key === undefined || MADE_KEY.test(key)
    return { title: fill(sentence, <ObjectName kind="space" id={space} />), rest: isMade ? rest : { ...rest, key } }
  }
  return undefined
}

/** The link to the snapshots of the space in place of the ID of a snapshot, which no page has. */
function ofSnapshot(event: string, kind: string, id: string, details: Record<string, string>) {
  const [space = ''] = id.split('-')
  const isOfSpace = kind === 'sprint' || kind === 'space'
  const others = Object.entries(details).filter(([name]) => name !== 'snapshot')
  return {
    ...(kind === 'sprint' && { space }),
    ...(event === 'snapshot.created' && isOfSpace && { snapshots: space }),
    ...Object.fromEntries(others),
  }
}

/** Old entries always have both fields, also an unchanged one. */
function ofProfile({ avatar, isPublic = '' }: Record<string, string>): Described | undefined {
  if (avatar === undefined) return { title: t.profile[isPublic] ?? '', rest: {} }
  if (isPublic === '') return { title: avatar === '' ? t.profile.withoutPicture : t.profile.withPicture, rest: {} }
  return { title: t.events['profile.changed'], rest: { isPublic } }
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
