/** The first match counts, because most user agents also contain names of other browsers. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad|iOS/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
]

/** The browser and the operating system that a User-Agent names; undefined if unknown. */
export const readUserAgent = (userAgent: string) => ({
  browser: browsers.find(([sign]) => sign.test(userAgent))?.[1],
  system: systems.find(([sign]) => sign.test(userAgent))?.[1],
})
