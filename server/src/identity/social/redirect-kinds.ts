import { discord } from './discord.ts'
import { github } from './github.ts'
import type { RedirectKind } from './redirect-kind.ts'
import { telegram } from './telegram.ts'
import { twitter } from './twitter.ts'

export const redirectKinds: readonly RedirectKind[] = [discord, github, twitter, telegram]
