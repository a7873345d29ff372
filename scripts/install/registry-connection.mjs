import { execFile } from 'node:child_process'
import { connect } from 'node:net'

const TIMEOUT = 5_000

/** Why the registry, or the proxy in front of it, accepts no connection, for the operator; undefined when it does. */
export async function connectionFailure() {
  const [registry, httpsProxy, proxy] = await Promise.all(['registry', 'https-proxy', 'proxy'].map(npmSetting))
  const used = [
    [httpsProxy ?? proxy, 'The proxy', 'It comes from HTTPS_PROXY or from the npm setting "proxy".'],
    [registry, 'The npm registry', 'Is the network up, or is a proxy needed (HTTPS_PROXY)?'],
  ].find(([url]) => url !== undefined)
  const failure = used && (await tryConnection(used[0]))
  if (failure === undefined) return undefined
  return `${used[1]} ${withoutPassword(used[0])} accepts no connection (${failure}). ${used[2]}`
}

/** npm reads them from variables and from several files. */
function npmSetting(name) {
  return new Promise((resolve) => {
    execFile('npm', ['config', 'get', name, '--workspaces=false'], { timeout: TIMEOUT }, (error, stdout) => {
      const value = stdout.trim()
      resolve(error || value === 'null' || value === 'undefined' || value === '' ? undefined : value)
    })
  })
}

function tryConnection(address) {
  return new Promise((resolve) => {
    let url
    try {
      url = new URL(address)
    } catch {
      return resolve('it is not a URL')
    }
    const port = Number(url.port) || (url.protocol === 'http:' ? 80 : 443)
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, timeout: TIMEOUT })
    const end = (failure) => {
      socket.destroy()
      resolve(failure)
    }
    socket.on('connect', () => end(undefined))
    socket.on('timeout', () => end(`no response in ${TIMEOUT / 1000} s`))
    socket.on('error', (error) => end(error.code))
  })
}

const withoutPassword = (url) => url.replace(/\/\/[^/@]*@/, '//')
