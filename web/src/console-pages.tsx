import { Route, Switch } from 'wouter'
import { pages } from './navigation/groups.ts'
import { PageNotFound } from './shell/not-found.tsx'
import Workspace from './shell/workspace.tsx'

/** The pages inside the shell, which stays while one of them loads. */
export default function ConsolePages() {
  return (
    <Workspace>
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
    </Workspace>
  )
}
