import { z } from 'zod'
import { queryTool } from './tool.ts'

const id = z.string().describe('ID of a credential')

export const credentialTools = [
  queryTool({
    name: 'get_credential',
    title: 'Get a credential',
    description: 'Get a credential (a named list of holders): its type, source, number of holders and state of sync.',
    input: { id },
    document: `query ($id: ID!) {
      credential(id: $id) {
        id name description credType credSource chain referenceLink itemCount lastUpdate lastSync syncStatus
        curatorSpace { id name }
      }
    }`,
  }),
  queryTool({
    name: 'check_credential',
    title: 'Check whether an address holds a credential',
    description:
      'Check whether an address holds a credential: eligible is 1 or 0. The result is reliable only while syncStatus is SYNCED.',
    input: {
      id,
      address: z.string().describe('Address, handle or mail address, according to the type of the credential'),
      campaignId: z.string().optional().describe('ID of a quest that uses the credential'),
    },
    document: `query ($id: ID!, $address: String!, $campaignId: ID) {
      credential(id: $id) { id name syncStatus eligible(address: $address, campaignId: $campaignId) }
    }`,
  }),
]
