import { CloseButton, Drawer } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { Account } from '../api/session.ts'
import { shell as texts } from '../texts/index.ts'
import { Brand } from './brand.tsx'
import { Sidebar } from './sidebar.tsx'

interface NavigationDrawerProps {
  account: Account
  opened: boolean
  close: () => void
}

/** The sidebar of narrow windows, over the page. A wide window has room for the sidebar beside the page. */
export function NavigationDrawer({ account, opened, close }: NavigationDrawerProps) {
  const isNarrow = useMediaQuery('(max-width: 62rem)')
  return (
    <Drawer.Root
      opened={opened && isNarrow === true}
      onClose={close}
      size="17rem"
      // Locking the scroll writes a style that the Content-Security-Policy forbids.
      lockScroll={false}
      transitionProps={{ duration: 120 }}
    >
      <Drawer.Overlay />
      <Drawer.Content aria-label={texts.navigation}>
        <Drawer.Body>
          <div className="drawer-top">
            <Brand />
            <CloseButton aria-label={texts.close} onClick={close} data-autofocus />
          </div>
          <Sidebar account={account} onLeave={close} />
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
