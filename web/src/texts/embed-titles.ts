import type { Language } from './language.ts'

/** The title of the frame and the alternative text of the badge, in the language of the embed. */
export const embedTitles: Readonly<Record<Language, { frame: string; badge: string }>> = {
  en: { frame: 'Leaderboard', badge: 'Rank' },
  de: { frame: 'Rangliste', badge: 'Rang' },
}
