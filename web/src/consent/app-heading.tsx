import { Text } from '@mantine/core'
import type { AuthorizationRequest } from '../api/authorizations.ts'
import { PageTitle } from '../shell/page-title.tsx'
import { consent as texts } from '../texts/index.ts'

/** The app: its stored logo, its owner, and the purpose of the page. */
export function AppHeading({ app, children }: { app: AuthorizationRequest['app']; children: string }) {
  const host = URL.parse(app.homepage)?.host
  return (
    <div className="app-heading">
      {app.logo === null ? (
        <span className="app-logo" aria-hidden>
          {app.name.slice(0, 1)}
        </span>
      ) : (
        <img className="app-logo" src={app.logo} alt="" width={56} height={56} />
      )}
      <PageTitle name={texts.title}>{children}</PageTitle>
      <Text size="sm" c="dimmed">
        {app.publisher === null ? texts.approved : texts.publishedBy(app.publisher)}
        {host !== undefined && <> · {texts.homepage(host)}</>}
      </Text>
    </div>
  )
}
