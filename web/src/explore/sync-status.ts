import type { Credential } from '@questboard/client'
import { explore as texts } from '../texts/index.ts'

/** The name of a credential's sync status. */
export const statusOf = ({ syncStatus }: Pick<Credential, 'syncStatus'>): string =>
  texts.credential.sync[syncStatus] ?? syncStatus
