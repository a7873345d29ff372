import { type ComponentType, lazy, Suspense } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { Broken } from './shell/broken.tsx'
import { Loading } from './shell/loading.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Workspace } from './shell/workspace.tsx'

const SignInPage = lazy(() => import('./sign-in/page.tsx'))
const ConsentPage = lazy(() => import('./consent/page.tsx'))
const AccountPage = lazy(() => import('./account/page.tsx'))
const ExplorePage = lazy(() => import('./explore/page.tsx'))
const OperatorPage = lazy(() => import('./operator/page.tsx'))
const ServerApiPage = lazy(() => import('./server-api/page.tsx'))

/** Maps addresses to pages. Each page is loaded when it is first shown. */
export function Pages() {
  return (
    <Broken>
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/sign-in" component={SignInPage} />
          <Route path="/authorize/:id">{({ id }) => <ConsentPage key={id} id={id} />}</Route>
          <Route path="/account/:section?">{({ section }) => inside(AccountPage, section)}</Route>
          <Route path="/operator/:section?">{({ section }) => inside(OperatorPage, section)}</Route>
          <Route path="/settings/server-api/:section?">{({ section }) => inside(ServerApiPage, section)}</Route>
          <Route path="/explore/:kind?/:id?">
            {({ kind, id }) => (
              <Workspace>
                <ExplorePage key={`${kind} ${id}`} kind={kind} id={id} />
              </Workspace>
            )}
          </Route>
          <Route path="/settings">
            <Redirect to="/settings/server-api" replace />
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Suspense>
    </Broken>
  )
}

function inside(Page: ComponentType<{ section: string | undefined }>, section: string | undefined) {
  return (
    <Workspace>
      <Page section={section} />
    </Workspace>
  )
}
