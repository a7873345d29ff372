const SIGNING_DOMAIN = Buffer.from('\xffsolana offchain', 'latin1')
const DOMAIN_BYTES = 32
/** Restricted ASCII, UTF-8 of at most 1232 bytes, longer UTF-8. Devices differ in which format they write. */
const FORMATS = [0, 1, 2]

/**
 * All off-chain envelopes in which a hardware wallet may have signed this message: the legacy envelope without a
 * header, version 0 (Solana's proposal "Off-Chain Message Signing") for this site or without a domain, and version 1
 * (sRFC 3).
 */
export function solanaEnvelopes(message: Uint8Array, signer: Uint8Array, domain: string): Uint8Array[] {
  const length = Buffer.alloc(2)
  if (message.length > 0xffff) return []
  length.writeUInt16LE(message.length)
  const body = [length, message]
  const site = Buffer.alloc(DOMAIN_BYTES)
  site.write(domain, 'utf8')
  const headers = FORMATS.flatMap((format) => [
    [0, format],
    ...[site, Buffer.alloc(DOMAIN_BYTES)].map((application) => [0, ...application, format, 1, ...signer]),
  ])
  return [
    ...headers.map((header) => Buffer.concat([SIGNING_DOMAIN, Buffer.from(header), ...body])),
    Buffer.concat([SIGNING_DOMAIN, Buffer.from([1, 1]), signer, message]),
  ]
}
