import { Title, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { Redirect } from 'wouter'
import { type Account, endedAccount, queryClient, sessionQuery } from '../api/session.ts'
import { onSignedIn } from '../api/session-channel.ts'
import { useCurrentPage } from '../navigation/current-page.ts'
import { mayOpen } from '../navigation/groups.ts'
import { SearchButton } from '../search/search-button.tsx'
import { shell as texts } from '../texts/index.ts'
import { AccountMenu } from './account-menu.tsx'
import { Brand } from './brand.tsx'
import { Breadcrumb } from './breadcrumb.tsx'
import { showWrongFields } from './first-wrong-field.ts'
import { Icon } from './icon.tsx'
import { Loading, LoadingPage } from './loading.tsx'
import { NavigationDrawer } from './navigation-drawer.tsx'
import { PageNotFound } from './not-found.tsx'
import { Sidebar } from './sidebar.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import { LoadFailure } from './load-failure.tsx'

/** The frame of all pages of signed-in users. Other users sign in first and then return. */
export default function Workspace({ children }: { children: ReactNode }) {
  const session = useQuery(sessionQuery)
  if (session.isPending) return <LoadingPage />
  if (session.isLoadingError) return <LoadFailure error={session.error} retry={() => void session.refetch()} />
  const account = session.data.account ?? endedAccount()
  // The address as it is: the router decodes it.
  const { pathname, search } = window.location
  if (!account) return <Redirect to={`/sign-in?return=${encodeURIComponent(pathname + search)}`} replace />
  return (
    <SignedIn account={account} ended={!session.data.account}>
      {children}
    </SignedIn>
  )
}

/** @param ended the session ended, but the page keeps what the user has entered */
function SignedIn({ account, ended, children }: { account: Account; ended: boolean; children: ReactNode }) {
  const [drawer, setDrawer] = useState(false)
  const current = useCurrentPage()
  useEffect(showWrongFields, [])
  return (
    <div className="workspace">
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <header className="workspace-header">
        <UnstyledButton
          className="header-button narrow-only"
          aria-label={texts.openMenu}
          onClick={() => setDrawer(true)}
        >
          <Icon name="menu" size={20} />
        </UnstyledButton>
        <a href="/" className="home-link">
          <Brand />
        </a>
        <span className="header-space" />
        <SearchButton account={account} />
        <AccountMenu account={account} />
      </header>
      <div className="workspace-side wide-only">
        <Sidebar account={account} />
      </div>
      <NavigationDrawer account={account} opened={drawer} close={() => setDrawer(false)} />
      <main className="workspace-content" id="content" tabIndex={-1} key={account.id}>
        {ended && <SessionEnded />}
        <div hidden={ended}>
          <Breadcrumb>
            <Suspense fallback={<Loading />}>
              {current && !mayOpen(account, current) ? (
                <PageNotFound title={current.page.title} text={current.group.denied} />
              ) : (
                children
              )}
            </Suspense>
          </Breadcrumb>
        </div>
      </main>
    </div>
  )
}

function SessionEnded() {
  useEffect(() => onSignedIn(() => void queryClient.invalidateQueries()), [])
  return (
    <>
      {/* Not a PageTitle, because the tab keeps its name. */}
      <Title order={1} size="h3" className="page-title">
        {texts.sessionEnded}
      </Title>
      <SignInAgain title={texts.sessionEndedHelp} />
    </>
  )
}
