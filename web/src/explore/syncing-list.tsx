import { useQuery } from '@tanstack/react-query'
import { listStateQuery } from '../api/sources.ts'
import { claim as texts } from '../texts/index.ts'

/** The state of a list that is not current: it is being updated, or its source fails. */
export function SyncingList({ credentialId }: { credentialId: string }) {
  const failing = useQuery({ ...listStateQuery(credentialId), retry: false }).data?.failing ?? false
  return failing ? texts.listFails : texts.states.syncing
}
