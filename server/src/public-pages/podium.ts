import type { PageTexts } from '../texts/page-texts.ts'
import type { Panel } from './share-card.ts'

export const PODIUM = 3

/** The first places as panels. */
export const podiumOf = (t: PageTexts, ranked: (Omit<Panel, 'label'> & { rank: number })[]): Panel[] =>
  ranked.slice(0, PODIUM).map(({ rank, ...panel }) => ({ label: t.rankNumber(rank), ...panel }))
