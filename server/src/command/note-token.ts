import type { Dependencies } from '../dependencies.ts'
import { audit, type SecurityEvent } from '../identity/audit.ts'

interface AboutToken {
  record: { accountId: string; tokenId: string; name: string }
}

/** Writes what a command did to a token into the audit log of its account, and answers the same. */
export async function noteToken<About extends AboutToken>(
  deps: Dependencies,
  event: SecurityEvent,
  about: About,
): Promise<About> {
  const { accountId, tokenId, name } = about.record
  await audit(deps, { accountId, event, details: { tokenId, name, by: 'command' } })
  return about
}
