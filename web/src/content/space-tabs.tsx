import type { EffectiveRole } from '../api/content.ts'
import { TabLinks } from '../shell/tab-links.tsx'
import { content, points, rules, snapshots } from '../texts/index.ts'
import { mayManage } from './rights.ts'

type Part = 'overview' | 'leaderboard' | 'points' | 'rules' | 'snapshots'

interface SpaceTabsProps {
  spaceId: number
  standing: EffectiveRole
  current: Part
}

/** The parts of a space that the account may open. */
export function SpaceTabs({ spaceId, standing, current }: SpaceTabsProps) {
  const base = `/content/spaces/${spaceId}`
  const manages = mayManage(standing)
  const parts: { part: Part; href: string; label: string; isOpen: boolean }[] = [
    { part: 'overview', href: base, label: content.space.overview, isOpen: true },
    { part: 'leaderboard', href: `${base}/leaderboard`, label: content.space.board, isOpen: true },
    { part: 'points', href: `${base}/points`, label: points.title, isOpen: manages },
    { part: 'rules', href: `${base}/rules`, label: rules.title, isOpen: true },
    { part: 'snapshots', href: `${base}/snapshots`, label: snapshots.title, isOpen: manages },
  ]
  return (
    <TabLinks
      label={content.space.parts}
      tabs={parts
        .filter(({ isOpen }) => isOpen)
        .map(({ part, href, label }) => ({ href, label, isCurrent: part === current }))}
    />
  )
}
