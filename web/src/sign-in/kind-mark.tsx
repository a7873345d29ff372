/** At most two letters for each kind, because logos are trademarks. */
const letters: Readonly<Record<string, string>> = {
  EVMAddress: 'Ev',
  SolanaAddress: 'So',
  SeiAddress: 'Se',
  AptosAddress: 'Ap',
  InjectiveAddress: 'In',
  FlowAddress: 'Fl',
  Discord: 'D',
  Github: 'G',
  Telegram: 'T',
  Twitter: 'X',
}

const pictures: Readonly<Record<string, string>> = {
  ServiceID: 'M9 15a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM13 11.5h8.5v3.5M17.5 11.5v2.5M9 10.5h.01',
  Email: 'M3.5 6.5h17v11h-17zM4 7l8 6 8-6',
  openid: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20a7.5 7.5 0 0 1 15 0',
  mcp: 'M4 5h16v11H9l-5 4z M8 9.5h8 M8 12.5h5',
  'quests:claim': 'M5 20.5v-16M5 5h12.5l-2.5 4 2.5 4H5',
}

/** The icon of an identity kind or of a wallet. It is decorative: the name is always shown next to it. */
export function KindMark({ kind, icon }: { kind: string; icon?: string | undefined }) {
  if (icon !== undefined) return <img className="mark" src={icon} alt="" width={32} height={32} />
  const picture = pictures[kind]
  return (
    <span className="mark" aria-hidden>
      {picture === undefined ? (
        (letters[kind] ?? kind.slice(0, 1))
      ) : (
        <svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" strokeWidth="1.7">
          <path d={picture} strokeLinecap="round" strokeLinejoin="round" />
        </svg>
      )}
    </span>
  )
}
