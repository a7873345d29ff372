import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** An SMTP server on loopback that stores the mail it receives. */
export interface MailServer {
  url: string
  /** Raw messages by recipient, oldest first. */
  mails: { to: string[]; raw: string }[]
  /** If true, rejects all recipients. */
  refusing: boolean
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const mails: MailServer['mails'] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authMethods: ['PLAIN'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'questboard' && password === 'mail password'
        ? done(null, { user: username })
        : done(new Error('535 no such user')),
    onRcptTo: (_address, _session, done) => done(mail.refusing ? new Error('550 no such mailbox') : null),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        mails.push({ to, raw: Buffer.concat(chunks).toString() })
        done()
      })
    },
  })
  const listening: Server = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const mail: MailServer = {
    url: `smtp://questboard:mail%20password@127.0.0.1:${port}`,
    mails,
    refusing: false,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return mail
}
