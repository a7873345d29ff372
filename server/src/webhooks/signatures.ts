import { createHmac } from 'node:crypto'
import { keyOf } from './secrets.ts'

/** The header `webhook-signature`: one signature for each secret, newest first (Standard Webhooks, symmetric). */
export function signatures(secrets: readonly string[], id: string, timestamp: number, payload: string): string {
  return secrets
    .map((secret) => createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${payload}`).digest('base64'))
    .map((signature) => `v1,${signature}`)
    .join(' ')
}
