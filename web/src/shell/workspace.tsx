import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link, Redirect, useLocation, useSearch } from 'wouter'
import { sessionQuery, signOut } from '../api/session.ts'
import { shell as texts } from '../texts/index.ts'
import { profileQuery } from '../api/account.ts'
import { Avatar, ownAvatar } from './avatar.tsx'
import { Brand } from './brand.tsx'
import { Preferences } from './preferences.tsx'
import { Loading } from './loading.tsx'
import { sitemap } from './sitemap.ts'
import { Unreadable } from './unreadable.tsx'

/** Header and navigation around the pages of a signed-in user. Other users sign in first and then return. */
export function Workspace({ children }: { children: ReactNode }) {
  const [address] = useLocation()
  const search = useSearch()
  const session = useQuery(sessionQuery)
  const leave = useMutation({ mutationFn: signOut })
  const pages = useRef<HTMLElement>(null)
  // On a narrow window the pages are a row that scrolls.
  useEffect(() => {
    const showCurrent = () =>
      pages.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
    showCurrent()
    window.addEventListener('resize', showCurrent)
    return () => window.removeEventListener('resize', showCurrent)
  }, [address, session.isSuccess])
  if (session.isPending) return <Loading />
  if (session.isLoadingError) return <Unreadable error={session.error} retry={() => void session.refetch()} />
  const { account } = session.data
  const here = search === '' ? address : `${address}?${search}`
  if (!account) return <Redirect to={`/sign-in?return=${encodeURIComponent(here)}`} replace />
  return (
    <div className="workspace">
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <header className="workspace-header">
        <Link href="/account" className="home-link">
          <Brand />
        </Link>
        <span className="workspace-person">
          <OwnAvatar username={account.username} />
          {account.username}
        </span>
        <Button variant="default" size="sm" loading={leave.isPending} onClick={() => leave.mutate()}>
          {texts.signOut}
        </Button>
        <Preferences />
      </header>
      <nav className="workspace-pages" aria-label={texts.navigation} ref={pages}>
        {sitemap
          .filter(({ operator }) => account.operator || !operator)
          .map(({ href, label, inner, covers }) => (
            <Link
              key={href}
              href={href}
              className={inner ? 'pages-link inner' : 'pages-link'}
              aria-current={address === href ? 'page' : covers && address.startsWith(`${href}/`) ? 'true' : undefined}
            >
              {label}
            </Link>
          ))}
        <a className="pages-link" href="/">
          {texts.playground}
        </a>
        <a className="pages-link" href="/docs">
          {texts.manual}
        </a>
      </nav>
      <main className="workspace-content" id="content" tabIndex={-1} key={account.id}>
        {children}
      </main>
    </div>
  )
}

function OwnAvatar({ username }: { username: string }) {
  const avatar = useQuery(profileQuery).data?.avatar ?? ''
  return <Avatar seed={username} src={ownAvatar(avatar)} size={28} />
}
