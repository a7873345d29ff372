import type { App } from '../../oauth/app.queries.ts'

/** An app for its owner and for operators, without secrets. */
export function viewApp(app: App) {
  const { hasLogo, hasProposedLogo, createdAt, decidedAt, ...rest } = app
  return {
    ...rest,
    logo: hasLogo ? `/app-logos/${app.clientId}` : null,
    proposedLogo: hasProposedLogo ? `/api/apps/${app.clientId}/proposed-logo` : null,
    createdAt: createdAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
  }
}
