import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import icon from '../../../web/public/assets/icon.svg'
import './style.css'

/** The pages of the app, by their names in English and German. */
const places = [
  ['Home', 'Startseite', '/'],
  ['Explore', 'Entdecken', '/explore'],
  ['Playground', 'Playground', '/playground'],
  ['Account', 'Konto', '/account'],
]

/** The links leave the manual, so VitePress must not follow them itself: links with a target are the browser's. */
const appLinks = () =>
  h(
    'nav',
    { class: 'places', 'aria-label': 'Pages' },
    places.map(([english, german, href]) =>
      h('a', { href, target: '_self' }, [
        h('span', { class: 'in-english' }, english),
        h('span', { class: 'in-german', lang: 'de' }, german),
      ]),
    ),
  )

const onlyEnglish = () => h('p', { class: 'in-german note', lang: 'de' }, 'Dieses Handbuch gibt es nur auf Englisch.')

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'nav-bar-title-before': () => h('img', { src: icon, alt: '', width: 24, height: 24, class: 'logo' }),
      'nav-bar-content-before': appLinks,
      'nav-screen-content-before': appLinks,
      'doc-before': onlyEnglish,
    }),
} satisfies Theme
