/**
 * The form of an API key: `tl_live_`, 32 random base62 characters, and the CRC-32 (IEEE 802.3) of the two as six
 * base62 digits. The checksum lets a mistyped or invented key be refused without a look at any store.
 */
const prefix = "tl_live_"
const randomLength = 32
const checksumLength = 6
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const form = /^tl_live_[0-9A-Za-z]{38}$/

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value >>> 0
})

const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) crc = (crc >>> 8) ^ crcTable[(crc ^ text.charCodeAt(i)) & 0xff]!
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (body: string): string => {
  let value = crc32(body)
  let digits = ""
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[value % 62]! + digits
    value = Math.floor(value / 62)
  }
  return digits
}

/**
 * A new key from the platform's cryptographic random source. Bytes of 248 and more are dropped, so no digit is
 * favoured.
 */
export const generateKey = (): string => {
  let random = ""
  while (random.length < randomLength) {
    for (const byte of crypto.getRandomValues(new Uint8Array(48))) {
      if (byte < 248 && random.length < randomLength) random += alphabet[byte % 62]!
    }
  }
  const body = prefix + random
  return body + checksum(body)
}

/** True when `text` has a key's form and its checksum agrees. Says nothing of whether such a key was ever issued. */
export const isWellFormedKey = (text: string): boolean =>
  form.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)

/** What may be shown of a key to recognise it by: its fixed prefix and the first four random characters. */
export const displayPrefix = (key: string): string => key.slice(0, prefix.length + 4)
