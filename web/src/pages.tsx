import { lazy, Suspense, useEffect } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { forgetAccount } from './api/session.ts'
import { onSignedOut } from './api/session-channel.ts'
import { pages } from './navigation/groups.ts'
import { ErrorBoundary } from './shell/error-boundary.tsx'
import { keepFocus } from './shell/keep-focus.ts'
import { LoadingPage } from './shell/loading.tsx'
import { PageNotFound } from './shell/not-found.tsx'
import { askFirst, useShownPath, useShownSearch } from './shell/shown-address.ts'

const SignOutPage = lazy(() => import('./consent/sign-out.tsx'))
const SignInPage = lazy(() => import('./sign-in/page.tsx'))
const SignedInPage = lazy(() => import('./sign-in/signed-in.tsx'))
const ConsentPage = lazy(() => import('./consent/page.tsx'))
const PlaygroundPage = lazy(() => import('./playground/page.tsx'))
const InvitationPage = lazy(() => import('./operator/invitation.tsx'))
const TeamInvitationPage = lazy(() => import('./teams/invitation.tsx'))
// Pages without a session do not need it.
const Workspace = lazy(() => import('./shell/workspace.tsx'))

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
              <Workspace>
                <InnerPages />
              </Workspace>
            </Route>
          </Switch>
        </Router>
      </Suspense>
    </ErrorBoundary>
  )
}

/** The pages inside the shell, which stays while one of them loads. */
function InnerPages() {
  return (
    <Switch>
      {pages.map(({ page: { path, Content } }) => (
        <Route key={path} path={path}>
          {(params) => <Content params={params} />}
        </Route>
      ))}
      <Route>
        <PageNotFound />
      </Route>
    </Switch>
  )
}
