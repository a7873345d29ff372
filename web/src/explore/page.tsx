import './explore.css'
import { NotHere } from '../shell/not-found.tsx'
import { explore as texts } from '../texts/index.ts'
import { CredentialPage } from './credential.tsx'
import { ListPage } from './list-page.tsx'
import { Overview } from './overview.tsx'
import { QuestPage } from './quest.tsx'
import { SpacePage } from './space.tsx'
import { StarboardPage } from './starboard.tsx'
import type { Kind } from './unreadable-page.tsx'

/** `/explore…`: data of the query service as readable pages. */
export default function ExplorePage({ kind, id }: { kind: string | undefined; id: string | undefined }) {
  if (kind === undefined) return <Overview />
  if (id === undefined) return isKind(kind) ? <ListPage kind={kind} /> : <NotHere list={overview} />
  switch (kind) {
    case 'spaces':
      return <SpacePage id={id} />
    case 'starboards':
      return <StarboardPage id={id} />
    case 'credentials':
      return <CredentialPage id={id} />
    case 'quests':
      return <QuestPage id={id} />
    default:
      return <NotHere list={overview} />
  }
}

const overview = { href: '/explore', label: texts.back }
const isKind = (kind: string): kind is Kind => Object.hasOwn(texts.kinds, kind)
