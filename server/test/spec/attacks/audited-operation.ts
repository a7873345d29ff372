import type { SecurityEvent } from '../../../src/audit/audit.ts'
import type { OauthUpstream } from '../../identity/upstreams/oauth-upstream.ts'
import type { ClientHost } from '../../support/client-host.ts'
import type { SignInService } from '../../support/oauth-service.ts'
import type { TestService } from '../../support/service.ts'

/** The audited request of an operation. */
export interface Sent {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface Operation {
  /** The events that it adds to the audit log. */
  events: SecurityEvent[]
  /** The network of its events, if it is not that of the client. */
  network?: string
  /** Prepares the operation and returns its last request. */
  prepare(): Promise<Sent>
  /** The client disconnects after it received this text, for operations that stop when their client disconnects. */
  readsUntil?: string
  /** Whether the request changed anything. It changes nothing if the client disconnects before admission. */
  isDone?(): Promise<boolean>
}

/** The services that the operations use. */
export interface AuditedWorld {
  service: TestService
  services: SignInService
  /** URL of a list of holders. */
  sourceUrl: string
  clientHost: ClientHost
  /** The site of redirect kinds. */
  upstream: OauthUpstream
}
