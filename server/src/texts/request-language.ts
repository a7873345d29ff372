import type { IncomingHttpHeaders } from 'node:http'
import { chooseLanguage, isLanguage, type Language, readChoice } from './languages.ts'

const PARAMETER = /[?&]lang=([^&]*)/
/** A browser sends fewer. */
const MAX_TAGS = 20

interface LanguageRequest {
  url?: string | undefined
  headers: Pick<IncomingHttpHeaders, 'cookie' | 'accept-language'>
}

/** The language that the URL names with `lang`. */
export function languageInUrl(url = ''): Language | undefined {
  const named = PARAMETER.exec(url)?.[1]
  return isLanguage(named) ? named : undefined
}

/** The language of a page: of its URL, of the visitor's choice, or of the browser. */
export function languageOf({ url, headers }: LanguageRequest): Language {
  const inUrl = languageInUrl(url)
  if (inUrl !== undefined) return inUrl
  return chooseLanguage(readChoice(headers.cookie ?? ''), preferredTags(headers['accept-language']))
}

/** The language of content that other sites show. It does not depend on the visitor's choice here. */
export const languageOfEmbed = ({ url, headers }: LanguageRequest): Language =>
  languageInUrl(url) ?? chooseLanguage(undefined, preferredTags(headers['accept-language']))

/** The tags of `Accept-Language` by weight (RFC 9110 12.5.4), without those that the client refuses. */
export function preferredTags(header = ''): string[] {
  return header
    .split(',', MAX_TAGS)
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';')
      const weight = parameters
        .map((one) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(one)?.[1])
        .find((one) => one !== undefined)
      return { tag: tag.trim(), weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
}
