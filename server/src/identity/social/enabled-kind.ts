import { notFound } from '../../errors.ts'
import type { Services } from '../../services.ts'
import { identityError } from '../identity-error.ts'
import type { RedirectKind } from './redirect-kind.ts'
import { redirectKinds } from './redirect-kinds.ts'

/** The kind of the path. @throws ApiError if it does not exist, or is not configured */
export async function enabledKind({
  services: { config },
  params: { kind: name },
}: {
  services: Services
  params: { kind: string }
}): Promise<RedirectKind> {
  const kind = redirectKinds.find((candidate) => candidate.kind === name)
  if (!kind) throw notFound('Identity kind')
  const off = kind.off(config)
  if (off !== undefined) throw identityError('unsupported', `${kind.kind} is off here: ${off}`, 'kind')
  return kind
}
