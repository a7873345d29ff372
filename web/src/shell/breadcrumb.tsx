import { Link } from 'wouter'
import { useCurrentPage } from '../navigation/current-page.ts'
import { shell as texts } from '../texts/index.ts'
import { Icon } from './icon.tsx'

/** The group of the current page and the pages above it, each a link back. The heading below is the page itself. */
export function Breadcrumb() {
  const current = useCurrentPage()
  if (!current) return null
  const { group, ancestors } = current
  return (
    <nav className="breadcrumb" aria-label={texts.breadcrumb}>
      <ol>
        <li>{group.title}</li>
        {ancestors.map(({ path, title }) => (
          <li key={path}>
            <Icon name="forward" size={14} />
            <Link href={path}>{title}</Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}
