import { lazy, Suspense, useEffect } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { forgetAccount } from './api/session.ts'
import { onSignedOut } from './api/session-channel.ts'
import { ErrorBoundary } from './shell/error-boundary.tsx'
import { keepFocus } from './shell/keep-focus.ts'
import { LoadingPage } from './shell/loading.tsx'
import { askFirst, useShownPath, useShownSearch } from './shell/shown-address.ts'

const SignOutPage = lazy(() => import('./consent/sign-out.tsx'))
const SignInPage = lazy(() => import('./sign-in/page.tsx'))
const SignedInPage = lazy(() => import('./sign-in/signed-in.tsx'))
const ConsentPage = lazy(() => import('./consent/page.tsx'))
const PlaygroundPage = lazy(() => import('./playground/page.tsx'))
const InvitationPage = lazy(() => import('./operator/invitation.tsx'))
const TeamInvitationPage = lazy(() => import('./teams/invitation.tsx'))
// The sign-in page does not need the pages of the console and their titles.
const ConsolePages = lazy(() => import('./console-pages.tsx'))

/** Maps addresses to pages. Those inside the shell are declared in `navigation/`. */
export function Pages() {
  useEffect(keepFocus, [])
  // If the read fails, the session is read again when the tab gets the focus.
  useEffect(() => onSignedOut(() => void forgetAccount().catch(() => {})), [])
  return (
    <ErrorBoundary>
      <Suspense fallback={<LoadingPage />}>
        <Router hook={useShownPath} searchHook={useShownSearch} aroundNav={askFirst}>
          <Switch>
            <Route path="/sign-in" component={SignInPage} />
            <Route path="/signed-in" component={SignedInPage} />
            <Route path="/sign-out" component={SignOutPage} />
            <Route path="/authorize/:id">{({ id }) => <ConsentPage key={id} id={id} />}</Route>
            <Route path="/playground" component={PlaygroundPage} />
            <Route path="/operator-invitation" component={InvitationPage} />
            <Route path="/team-invitation" component={TeamInvitationPage} />
            <Route path="/settings">
              <Redirect to="/settings/server-api" replace />
            </Route>
            <Route>
              <ConsolePages />
            </Route>
          </Switch>
        </Router>
      </Suspense>
    </ErrorBoundary>
  )
}
