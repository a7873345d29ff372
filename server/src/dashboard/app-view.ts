import type { App } from '../oauth/app.queries.ts'

/** An app as its owner and the operator see it: everything but secrets. */
export function viewApp(app: App) {
  const { hasLogo, createdAt, decidedAt, ...rest } = app
  return {
    ...rest,
    logo: hasLogo ? `/app-logos/${app.clientId}` : null,
    createdAt: createdAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
  }
}
