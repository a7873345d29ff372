import { Badge, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { EntryKind, ListedEntry } from '../api/explore.ts'
import { Avatar } from '../shell/avatar.tsx'
import { content, explore as texts } from '../texts/index.ts'

interface EntryRowProps {
  kind: EntryKind
  entry: ListedEntry
  withId?: boolean
}

/** A space, a starboard or a credential in a list. */
export function EntryRow({ kind, entry, withId = false }: EntryRowProps) {
  const { id, name } = entry
  const { seed, logo, facts } = shownOf(entry)
  const openQuests = 'openQuests' in entry ? entry.openQuests : 0
  return (
    <li className="row">
      <Avatar seed={seed} src={logo ?? undefined} size={32} />
      <div className="row-main">
        <Link href={`/explore/${kind}/${encodeURIComponent(id)}`} className="text-link">
          {name}
        </Link>
        <Text size="sm" c="dimmed">
          {[...facts, withId && content.id(id)].filter((fact) => fact !== false).join(' · ')}
        </Text>
      </div>
      {openQuests > 0 && (
        <Badge variant="light" color="teal" tt="none">
          {texts.openQuests(openQuests)}
        </Badge>
      )}
    </li>
  )
}

interface Shown {
  /** The text from which the picture is drawn; that of a credential is the picture of its space. */
  seed: string
  logo: string | null
  facts: (string | false)[]
}

/** Without numbers that are 0, as on the rows of quests. A credential that is checked on demand has holders, but no list. */
function shownOf(entry: ListedEntry): Shown {
  if ('members' in entry) {
    const { name, logo, members } = entry
    return { seed: name, logo, facts: [members > 0 && content.members(members)] }
  }
  if ('users' in entry) {
    const { name, projectName, users } = entry
    return {
      seed: projectName || name,
      logo: null,
      facts: [projectName !== '' && projectName, users > 0 && texts.rankedUsers(users)],
    }
  }
  const { name, space, holders } = entry
  return {
    seed: space?.name ?? name,
    logo: space?.logo ?? null,
    facts: [space !== null && space.name, holders > 0 && content.credential.holders(holders)],
  }
}
