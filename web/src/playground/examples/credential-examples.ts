import { credentialEligibility, credentialInfo } from '../../documents.ts'
import { credential, evmAddress } from './demo-data.ts'
import type { Example } from './example.ts'

export const credentialExamples: Example[] = [
  {
    name: 'CredentialInfo',
    area: 'Credentials',
    title: 'About a credential',
    description: 'Type, source, holders, synchronization',
    query: credentialInfo,
    variables: { credId: credential },
  },
  {
    name: 'CredentialEligibility',
    area: 'Credentials',
    title: 'Does an address hold it?',
    description: '1 or 0; reliable while syncStatus is SYNCED',
    query: credentialEligibility,
    variables: { credId: credential, address: evmAddress, campaignId: null },
  },
]
