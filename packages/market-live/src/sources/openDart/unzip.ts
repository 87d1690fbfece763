import { crc32, inflateRawSync } from "node:zlib"

const endMark = 0x06054b50
const entryMark = 0x02014b50
const localMark = 0x04034b50
/** The maximum length of the end record, whose comment has at most 64 kB. */
const longestEnd = 22 + 65_535

const endOf = (bytes: Buffer): number => {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - longestEnd); at--) {
    if (bytes.readUInt32LE(at) === endMark) return at
  }
  throw new RangeError("no end of an archive")
}

interface Entry {
  readonly name: string
  readonly encrypted: boolean
  readonly method: number
  readonly crc: number
  readonly packed: number
  readonly unpacked: number
  readonly from: number
}

const entriesOf = (bytes: Buffer): ReadonlyArray<Entry> => {
  const end = endOf(bytes)
  const entries: Array<Entry> = []
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== entryMark) throw new RangeError("no entry of an archive")
    const nameLength = bytes.readUInt16LE(at + 28)
    entries.push({
      name: bytes.toString("utf8", at + 46, at + 46 + nameLength),
      encrypted: bytes.readUInt16LE(at + 8) % 2 === 1,
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      unpacked: bytes.readUInt32LE(at + 24),
      from: bytes.readUInt32LE(at + 42)
    })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  // Other data before the end record makes the archive ambiguous, so it is rejected.
  if (at !== end) throw new RangeError("more than an archive")
  return entries
}

const contentOf = (bytes: Buffer, { crc, encrypted, from, method, packed, unpacked }: Entry, most: number): Buffer => {
  if (encrypted || unpacked > most || bytes.readUInt32LE(from) !== localMark) throw new RangeError("no such entry")
  const at = from + 30 + bytes.readUInt16LE(from + 26) + bytes.readUInt16LE(from + 28)
  const content = bytes.subarray(at, at + packed)
  if (method !== 0 && method !== 8) throw new RangeError("packed in another way")
  const whole = method === 0 ? content : inflateRawSync(content, { maxOutputLength: most })
  if (whole.length !== unpacked || crc32(whole) !== crc) throw new RangeError("not what was packed")
  return whole
}

/**
 * Extracts the text of the first file of a ZIP archive whose name ends with `nameEnds`, with at most `mostBytes` bytes.
 * `archive` has one character per byte. Returns undefined if it is not a ZIP archive, or is damaged.
 */
export const unzipped = (archive: string, nameEnds: string, mostBytes: number): string | undefined => {
  const bytes = Buffer.from(archive, "latin1")
  try {
    const entry = entriesOf(bytes).find(({ name }) => name.toLowerCase().endsWith(nameEnds))
    if (entry === undefined) return undefined
    return new TextDecoder("utf-8", { fatal: true }).decode(contentOf(bytes, entry, mostBytes))
  } catch {
    return undefined
  }
}
