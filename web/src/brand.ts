/** Name, logo and colours of the installation. The service writes them into the document (server/src/http/pages.ts). */
const written = (name: string): string => {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  // The development server of Vite leaves the placeholders.
  return content.startsWith('{{') ? '' : content
}

const shades = written('accent').split(' ')

export const brand = {
  name: written('application-name') || 'Questboard',
  logo: document.querySelector('link[rel=icon]')?.getAttribute('href') ?? '/assets/icon.svg',
  /** Ten shades of the operator's colour, from light to dark; undefined if the operator has chosen none. */
  shades: shades.length === 10 ? (shades as unknown as Shades) : undefined,
}

type Shades = readonly [string, string, string, string, string, string, string, string, string, string]
