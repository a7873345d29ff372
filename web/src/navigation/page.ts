import { type ComponentType, lazy, type LazyExoticComponent } from 'react'
import type { Account } from '../api/session.ts'
import type { IconName } from '../shell/icon.tsx'

/** Passed to the component of a page: the parts of the address that its path names. */
export interface PageProps {
  params: Readonly<Record<string, string | undefined>>
}

/** A page inside the shell, declared once: its address, its entry in the sidebar and its place in the breadcrumb. */
export interface Page {
  /** The address, in the notation of wouter: `/explore/spaces/:id`. */
  path: string
  title: string
  /** The title for an account, if accounts see different lists. */
  titleFor?: (account: Account) => string
  /** The sidebar has an entry for each page with an icon. */
  icon?: IconName
  /** Further words by which the search finds the page: its sections and actions. */
  keywords?: string
  /** The path of the page above, for the breadcrumb. A parent has no parameters. */
  parent?: string
  /** Accounts that may open the page; default: those of its group. */
  isFor?: (account: Account) => boolean
  Content: LazyExoticComponent<ComponentType<PageProps>>
}

/** A page of another document: the sidebar leads there. */
export interface OtherPage {
  href: string
  title: string
  icon: IconName
}

/** A titled part of the sidebar. */
export interface PageGroup {
  title: string
  /** The sidebar shows only the title until the account opens the group. */
  isFolded?: (account: Account) => boolean
  isFor?: (account: Account) => boolean
  /** Shown to other accounts. */
  denied?: string
  /** In the order of the sidebar. */
  pages: readonly Page[]
  elsewhere?: readonly OtherPage[]
}

type Module = { default: ComponentType<PageProps> }

/** Declares a page. Its module exports the component as default, and is loaded when the page is first shown. */
export const page = ({ load, ...rest }: Omit<Page, 'Content'> & { load: () => Promise<Module> }): Page => ({
  ...rest,
  Content: lazy(load),
})
