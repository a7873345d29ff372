import { Stack } from '@mantine/core'
import type { Readiness } from '../api/quests.ts'
import { LinkInPlace } from '../sign-in/link-in-place.tsx'
import { claim as texts, signIn } from '../texts/index.ts'

/** One button for each kind of identity that the quest needs, however many conditions need it. */
export function LinkIdentities({ kinds }: { kinds: readonly string[] }) {
  if (kinds.length === 0) return null
  return (
    <Stack gap="xs" align="flex-start">
      {kinds.map((kind) => (
        <LinkInPlace key={kind} label={texts.link(signIn.kinds[kind] ?? kind)} only={(one) => one === kind} />
      ))}
    </Stack>
  )
}

/** The kinds of identities that the account has to link: first the kind of the quest, then those of missing conditions. */
export function kindsToLink({ kind, refusal, groups }: Readiness, offered: readonly string[]): string[] {
  const ofConditions = groups
    .filter(({ met }) => !met)
    .flatMap(({ conditions }) => conditions)
    .filter(({ state, linked }) => state !== 'met' && !linked)
    .map((condition) => condition.kind)
  const needed = new Set([...(refusal?.reason === 'NO_ADDRESS' ? [kind] : []), ...ofConditions])
  return [...needed].filter((one) => one !== null).filter((one) => offered.includes(one))
}
