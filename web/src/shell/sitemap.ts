import { account, hooks, operator, serverApi, shell as texts } from '../texts/index.ts'

export interface Place {
  href: string
  label: string
  /** A part of the place above it. */
  inner?: true
  /** Its pages lie below its address. */
  covers?: true
  /** Only for operators. */
  operator?: true
}

/** The pages of a signed-in user, in the order of the navigation. */
export const sitemap: readonly Place[] = [
  { href: '/account', label: texts.account },
  { href: '/account/apps', label: account.apps.title, inner: true },
  { href: '/account/security', label: account.security.title, inner: true },
  { href: '/explore', label: texts.explore, covers: true },
  { href: '/settings/server-api', label: texts.serverApi },
  { href: '/settings/server-api/usage', label: serverApi.usage.title, inner: true },
  { href: '/settings/server-api/apps', label: serverApi.apps.title, inner: true },
  { href: '/settings/server-api/webhooks', label: hooks.webhooks.title, inner: true },
  { href: '/settings/server-api/ingest-tokens', label: hooks.ingest.title, inner: true },
  { href: '/operator', label: texts.operator, operator: true },
  { href: '/operator/plans', label: operator.plans.title, inner: true, operator: true },
  { href: '/operator/syncs', label: operator.syncs.title, inner: true, operator: true },
  { href: '/operator/import', label: operator.imports.title, inner: true, operator: true },
  { href: '/operator/log', label: operator.audit.title, inner: true, operator: true },
  { href: '/operator/health', label: operator.health.title, inner: true, operator: true },
]
