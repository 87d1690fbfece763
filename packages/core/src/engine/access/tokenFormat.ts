/**
 * A secret token authenticates its holder. A token consists of a prefix for its kind, 32 random base62 characters and a
 * checksum. The checksum is the CRC-32 (IEEE 802.3) of the prefix and the random characters, as six base62 digits. The
 * service rejects a token with a wrong checksum without a store request.
 */
const randomLength = 32
const checksumLength = 6
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

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

const checksum = (content: string): string => {
  let value = crc32(content)
  let digits = ""
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[value % 62]! + digits
    value = Math.floor(value / 62)
  }
  return digits
}

export interface TokenFormat {
  /**
   * Generates a token from the platform's cryptographic random source. Each random digit of the token is equally
   * likely.
   */
  readonly generate: () => string
  /**
   * Returns whether `text` has the form of a token and a correct checksum. A well-formed token need not have been
   * issued.
   */
  readonly isWellFormed: (text: string) => boolean
}

/** Returns functions that generate and check secret tokens with the given `prefix`. */
export const tokenFormat = (prefix: string): TokenFormat => {
  const length = prefix.length + randomLength + checksumLength
  return {
    generate: () => {
      let randomPart = ""
      while (randomPart.length < randomLength) {
        // Bytes of 248 and above are skipped: 248 is a multiple of 62, so all characters are equally likely.
        for (const byte of crypto.getRandomValues(new Uint8Array(48))) {
          if (byte < 248 && randomPart.length < randomLength) randomPart += alphabet[byte % 62]!
        }
      }
      const content = prefix + randomPart
      return content + checksum(content)
    },
    isWellFormed: (text) =>
      text.length === length && text.startsWith(prefix) && /^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) &&
      checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
  }
}
