import { isCredentialId } from '../credential-id.ts'
import { areaDenied, credentialNotFound, questNotFound } from '../../errors.ts'
import type { Context, FieldTable } from '../../graphql/context.ts'
import { checkAddress } from '../checked-address.ts'
import { isIdentifier } from '../identifiers.ts'
import { holds } from '../holders.ts'
import { requirePublic } from '../private-quest.ts'
import { type CredentialRow, findCampaign, findCredential } from './credential.queries.ts'

interface EligibleArguments {
  address: string
  campaignId?: string | null
}

/** Credentials and holders. */
export const credential: FieldTable = {
  resolvers: {
    Query: {
      async credential(_: unknown, args: { id: string }, { reader, cacheValidators }: Context) {
        const found = isCredentialId(args.id) ? await findCredential(reader, args.id) : undefined
        if (!found) throw credentialNotFound()
        cacheValidators.add(found.validator)
        return found.credential
      },
    },
    Credential: {
      async eligible(parent: CredentialRow, args: EligibleArguments, context: Context) {
        checkAddress('address', args.address, [parent.credType])
        const { campaignId } = args
        const campaign = campaignId ? requireCampaign(context, campaignId, parent.id) : undefined
        const [{ held, validators }] = await Promise.all([holds(context, parent, args.address), campaign])
        if (validators && !campaign) context.cacheValidators.add(...validators)
        return held ? 1 : 0
      },
    },
  },
  getters: {
    Credential: {
      curatorSpace: ({ space_id, space_name, space_description }: CredentialRow) =>
        space_id === null ? null : { id: space_id, name: space_name, description: space_description },
    },
  },
}

/**
 * Validates `campaignId`: the quest must be visible and use the credential. The result reveals data about quests, so
 * the token needs that area too.
 */
async function requireCampaign(context: Context, questId: string, credentialId: string): Promise<void> {
  if (!context.areas.includes('quest')) throw areaDenied('quest', context.areas)
  const quest = isIdentifier(questId) ? await findCampaign(context.reader, questId, credentialId) : undefined
  if (!quest || quest.status === 'Draft' || quest.status === 'Deleted') throw questNotFound()
  await requirePublic(context, quest)
}
