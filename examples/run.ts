import type { Server } from 'node:http'

/** Where each setting comes from. */
const origins = {
  QUESTBOARD_TOKEN: 'a server access token: npm start prints one, bin/questboard token create makes one',
  CLIENT_ID: 'the id of a client, which docs/oauth.md (Getting a client) says how to get',
  CLIENT_SECRET: 'the secret of that client',
  WEBHOOK_SECRETS: 'the secret of a webhook: bin/questboard webhook create prints it; several, separated by spaces',
}

/** The settings that an example cannot do without; when some are missing it says which, and ends. */
export function needed<Name extends keyof typeof origins>(...names: Name[]): Record<Name, string> {
  const missing = names.filter((name) => !process.env[name])
  if (missing.length > 0) end(missing.map((name) => `${name} is not set. It is ${origins[name]}.`))
  return Object.fromEntries(names.map((name) => [name, process.env[name]])) as Record<Name, string>
}

/** Not PORT, which the service listens on when it is started in the same shell. */
export function examplePort(): number {
  const port = Number(process.env.EXAMPLE_PORT || 3000)
  if (!(Number.isInteger(port) && port > 0 && port < 65_536))
    end(['EXAMPLE_PORT must be a whole number from 1 to 65535.'])
  return port
}

export function run(server: Server, port: number): void {
  server.on('error', ({ message }) => end([`${message}. Set EXAMPLE_PORT to a port that is free.`]))
  server.listen(port, () => console.log(`http://localhost:${port}`))
}

function end(lines: string[]): never {
  for (const line of lines) console.error(line)
  process.exit(1)
}
