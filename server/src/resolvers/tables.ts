import type { FieldTable } from '../graphql/context.ts'
import { pageInfoFields } from '../graphql/page-info.ts'
import { credential } from './credential/credential.resolvers.ts'
import { quest } from './quest/quest.resolvers.ts'
import { spaceFields } from './space/space.resolvers.ts'
import { starboard } from './starboard/starboard.resolvers.ts'
import type { Site } from '../settings/site.ts'

export const fieldTable = (site: Pick<Site, 'issuer'>): FieldTable =>
  [starboard, spaceFields(site), credential, quest, pageInfoFields].reduce((all, one) => ({
    resolvers: mergeTypes(all.resolvers, one.resolvers),
    getters: mergeTypes(all.getters ?? {}, one.getters ?? {}),
  }))

function mergeTypes<Field>(
  left: Record<string, Record<string, Field>>,
  right: Record<string, Record<string, Field>>,
): Record<string, Record<string, Field>> {
  const merged = { ...left }
  for (const [type, fields] of Object.entries(right)) merged[type] = { ...merged[type], ...fields }
  return merged
}
