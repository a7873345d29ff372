import { generateKeyPairSync, sign } from 'node:crypto'
import { systemClock, DAY } from '../../server/src/clock.ts'

const SEQUENCE = 0x30
const SET = 0x31
const INTEGER = 0x02
const OCTETS = 0x04
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex')
const COMMON_NAME = Buffer.from('0603550403', 'hex')
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex')
const ALTERNATIVE_NAMES = Buffer.from('0603551d11', 'hex')

/** A key and its self-signed certificate for a host name and 127.0.0.1 (RFC 5280, in DER). */
export function selfSigned(host: string): { key: string; certificate: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from(host)))))
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256)
  const names = der(SEQUENCE, der(0x82, Buffer.from(host)), der(0x87, Buffer.from([127, 0, 0, 1])))
  const isAuthority = der(SEQUENCE, Buffer.from('0101ff', 'hex'))
  const signed = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))), // version 3
    der(INTEGER, Buffer.from([1])),
    algorithm,
    name,
    der(SEQUENCE, utcTime(systemClock.now() - DAY), utcTime(systemClock.now() + DAY)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      der(
        SEQUENCE,
        der(SEQUENCE, BASIC_CONSTRAINTS, der(OCTETS, isAuthority)),
        der(SEQUENCE, ALTERNATIVE_NAMES, der(OCTETS, names)),
      ),
    ),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey))
  const base64 = der(SEQUENCE, signed, algorithm, signature).toString('base64')
  const lines = base64.match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}

/** A DER value with its tag and its length. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...head]), value])
}

/** YYMMDDhhmmssZ */
function utcTime(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\D/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}
