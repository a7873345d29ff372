import { Badge, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { EntryKind, ListedEntries } from '../api/explore.ts'
import { Avatar } from '../shell/avatar.tsx'
import { content, explore as texts } from '../texts/index.ts'

interface EntryRowProps<Kind extends EntryKind> {
  kind: Kind
  entry: ListedEntries[Kind]
  withId?: boolean
}

/** A space, a starboard or a credential in a list. */
export function EntryRow<Kind extends EntryKind>({ kind, entry, withId = false }: EntryRowProps<Kind>) {
  const { id, name } = entry
  const { seed, logo = null, facts, openQuests = 0 } = shown[kind](entry)
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
  logo?: string | null
  facts: (string | false)[]
  openQuests?: number
}

/** What the row of each kind shows. Numbers that are 0 are left out, as on the rows of quests. */
const shown: { [Kind in EntryKind]: (entry: ListedEntries[Kind]) => Shown } = {
  spaces: ({ name, logo, members, openQuests }) => ({
    seed: name,
    logo,
    facts: [members > 0 && content.members(members)],
    openQuests,
  }),
  starboards: ({ name, projectName, users }) => ({
    seed: projectName || name,
    facts: [projectName !== '' && projectName, users > 0 && texts.rankedUsers(users)],
  }),
  credentials: ({ name, space, holders }) => ({
    seed: space?.name ?? name,
    logo: space?.logo ?? null,
    facts: [space !== null && space.name, holders > 0 && content.credential.holders(holders)],
  }),
}
