import type { EffectiveRole } from '../api/content.ts'
import { TabLinks } from '../shell/tab-links.tsx'
import { content, points, rules, snapshots } from '../texts/index.ts'
import { mayManage } from './rights.ts'

/** The parts of a space, in the order of the tabs. */
export const partNames = {
  overview: content.space.overview,
  leaderboard: content.space.board,
  points: points.title,
  rules: rules.title,
  snapshots: snapshots.title,
  settings: content.space.settings,
}

export type Part = keyof typeof partNames

const PARTS = Object.keys(partNames) as Part[]
const OF_MANAGERS: readonly Part[] = ['points', 'snapshots']

interface SpaceTabsProps {
  spaceId: number
  standing: EffectiveRole
  current: Part
}

/** The parts of a space that the account may open. */
export function SpaceTabs({ spaceId, standing, current }: SpaceTabsProps) {
  const base = `/content/spaces/${spaceId}`
  return (
    <TabLinks
      label={content.space.parts}
      tabs={PARTS.filter((part) => mayManage(standing) || !OF_MANAGERS.includes(part)).map((part) => ({
        href: part === 'overview' ? base : `${base}/${part}`,
        label: partNames[part],
        isCurrent: part === current,
      }))}
    />
  )
}
