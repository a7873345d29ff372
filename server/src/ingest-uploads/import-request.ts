import { z } from 'zod'
import { invalidField } from '../errors.ts'
import { isCredentialId } from '../resolvers/credential-id.ts'
import { type KindName, kindNames } from '../ingest/kinds.ts'
import { fault, wrongFormat } from '../texts/faults.ts'

export interface ImportRequest {
  kind: KindName | undefined
  credentialId: string | undefined
  replace: boolean
}

export const importQuery = {
  kind: { description: 'the kind of the records; default: detected', shape: z.enum(kindNames) },
  credentialId: { description: 'the credential of holders whose lines name none', shape: z.string() },
  replace: { description: 'replaces the whole lists of the credentials', shape: z.literal('true') },
}

export function readImportRequest({ kind, credentialId, replace }: Record<string, unknown>): ImportRequest {
  if (kind !== undefined && !kindNames.includes(kind as KindName))
    throw invalidField('kind', `must be one of ${kindNames.join(', ')}`, fault('not_one_of', { allowed: kindNames }))
  if (credentialId !== undefined && (typeof credentialId !== 'string' || !isCredentialId(credentialId)))
    throw invalidField('credentialId', 'must be the id of a credential', wrongFormat('credential_id'))
  if (replace !== undefined && replace !== 'true')
    throw invalidField('replace', 'must be true or absent', fault('not_one_of', { allowed: ['true'] }))
  if ((credentialId !== undefined || replace !== undefined) && kind !== undefined && kind !== 'holders')
    throw invalidField(
      credentialId === undefined ? 'replace' : 'credentialId',
      'applies only to holders',
      fault('not_allowed'),
    )
  return { kind: kind as KindName | undefined, credentialId, replace: replace === 'true' }
}
