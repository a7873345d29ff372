import { credentialEligibility, credentialInfo } from '../../documents.ts'
import { credential, evmAddress } from './demo-data.ts'
import type { Example } from './example.ts'

export const credentialExamples: Example[] = [
  {
    name: 'CredentialInfo',
    area: 'credentials',
    query: credentialInfo,
    variables: { credId: credential },
  },
  {
    name: 'CredentialEligibility',
    area: 'credentials',
    query: credentialEligibility,
    variables: { credId: credential, address: evmAddress, campaignId: null },
  },
]
