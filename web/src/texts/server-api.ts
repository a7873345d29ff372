/** The English texts of Settings → Server API. */
export const texts = {
  title: 'Server API',
  usage: { title: 'Usage' },
  apps: { title: 'OAuth apps' },
}
