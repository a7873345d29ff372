import { credentialsQuery } from '../api/content.ts'
import { content as texts } from '../texts/index.ts'
import { ObjectList } from './object-list.tsx'

const t = texts.credentials

interface CredentialsProps {
  spaceId: number
  editable: boolean
  hideEmpty: boolean
}

/** The credentials that a space curates, those with the most holders first. */
export function Credentials({ spaceId, editable, hideEmpty }: CredentialsProps) {
  return (
    <ObjectList
      title={t.title}
      lead={t.lead}
      none={t.none}
      noneText={t.noneText}
      hideEmpty={hideEmpty}
      query={credentialsQuery(spaceId)}
      order={(a, b) => b.itemCount - a.itemCount}
      all={t.all}
      hrefOf={(id) => `/content/credentials/${id}`}
      factsOf={({ itemCount }) => [texts.credential.holders(itemCount)]}
      add={editable ? { href: `/content/spaces/${spaceId}/new-credential`, label: t.add } : undefined}
    />
  )
}
