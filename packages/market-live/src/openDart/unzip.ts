import { crc32, inflateRawSync } from "node:zlib"

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
/**
 * The maximum length of a ZIP archive's end record. A ZIP archive's end record may contain a comment of up to 64 kB.
 */
const maxEndLength = 22 + 65_535

const findEndRecord = (bytes: Buffer): number => {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - maxEndLength); at--) {
    if (bytes.readUInt32LE(at) === endSignature) return at
  }
  throw new RangeError("the archive has no end record")
}

interface Entry {
  readonly name: string
  readonly isEncrypted: boolean
  readonly method: number
  readonly crc: number
  readonly compressedSize: number
  readonly uncompressedSize: number
  readonly offset: number
}

const readEntries = (bytes: Buffer): ReadonlyArray<Entry> => {
  const end = findEndRecord(bytes)
  const entries: Array<Entry> = []
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== entrySignature) throw new RangeError("the archive has an invalid entry")
    const nameLength = bytes.readUInt16LE(at + 28)
    entries.push({
      name: bytes.toString("utf8", at + 46, at + 46 + nameLength),
      isEncrypted: bytes.readUInt16LE(at + 8) % 2 === 1,
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      compressedSize: bytes.readUInt32LE(at + 20),
      uncompressedSize: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42)
    })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  // Other data before the end record makes the archive ambiguous, so the archive is rejected.
  if (at !== end) throw new RangeError("the archive contains other data before its end record")
  return entries
}

const readEntry = (
  bytes: Buffer,
  { crc, isEncrypted, offset, method, compressedSize, uncompressedSize }: Entry,
  maxBytes: number
): Buffer => {
  if (isEncrypted || uncompressedSize > maxBytes || bytes.readUInt32LE(offset) !== localSignature) {
    throw new RangeError("no such entry")
  }
  const at = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  const content = bytes.subarray(at, at + compressedSize)
  if (method !== 0 && method !== 8) throw new RangeError("unsupported compression method")
  const uncompressed = method === 0 ? content : inflateRawSync(content, { maxOutputLength: maxBytes })
  if (uncompressed.length !== uncompressedSize || crc32(uncompressed) !== crc) {
    throw new RangeError("wrong size or checksum")
  }
  return uncompressed
}

/**
 * Extracts the first file in a ZIP archive whose name ends with `nameSuffix`, or returns undefined for an invalid
 * archive. `archive` has one character per byte. `maxBytes` is the maximum size of the extracted file.
 */
export const unzipText = (archive: string, nameSuffix: string, maxBytes: number): string | undefined => {
  const bytes = Buffer.from(archive, "latin1")
  try {
    const entry = readEntries(bytes).find(({ name }) => name.toLowerCase().endsWith(nameSuffix))
    if (entry === undefined) return undefined
    return new TextDecoder("utf-8", { fatal: true }).decode(readEntry(bytes, entry, maxBytes))
  } catch {
    return undefined
  }
}
