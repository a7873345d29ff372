import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import icon from '../../../web/public/assets/icon.svg'
import './style.css'

const places = [
  ['Home', '/'],
  ['Explore', '/explore'],
  ['Playground', '/playground'],
  ['Account', '/account'],
]

/** The links leave the manual, so VitePress must not follow them itself: links with a target are the browser's. */
const appLinks = () =>
  h(
    'nav',
    { class: 'places', 'aria-label': 'Pages' },
    places.map(([label, href]) => h('a', { href, target: '_self' }, label)),
  )

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'nav-bar-title-before': () => h('img', { src: icon, alt: '', width: 24, height: 24, class: 'logo' }),
      'nav-bar-content-before': appLinks,
      'nav-screen-content-before': appLinks,
    }),
} satisfies Theme
