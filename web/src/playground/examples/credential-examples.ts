import { credential, evmAddress } from './demo-data.ts'
import type { Example } from './example.ts'

export const credentialExamples: Example[] = [
  {
    name: 'CredentialInfo',
    area: 'Credentials',
    title: 'About a credential',
    description: 'Type, source, holders, synchronization',
    query: `query CredentialInfo($credId: ID!) {
  credential(id: $credId) {
    id
    name
    description
    credType
    credSource
    chain
    referenceLink
    itemCount
    lastUpdate
    lastSync
    syncStatus
    curatorSpace {
      id
      name
    }
  }
}
`,
    variables: { credId: credential },
  },
  {
    name: 'CredentialEligibility',
    area: 'Credentials',
    title: 'Does an address hold it?',
    description: '1 or 0; reliable while syncStatus is SYNCED',
    query: `query CredentialEligibility($credId: ID!, $address: String!, $campaignId: ID) {
  credential(id: $credId) {
    id
    name
    syncStatus
    eligible(address: $address, campaignId: $campaignId)
  }
}
`,
    variables: { credId: credential, address: evmAddress, campaignId: null },
  },
]
