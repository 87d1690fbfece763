import { crc32, deflateRawSync } from "node:zlib"

/** Builds a ZIP archive with one file, stored or deflated. */
export const makeZip = (name: string, text: string, isDeflated = false): Uint8Array => {
  const content = Buffer.from(text)
  const data = isDeflated ? deflateRawSync(content) : content
  const title = Buffer.from(name)
  // The header fields that the local header and the central directory of a ZIP archive share.
  const header = Buffer.alloc(26)
  header.writeUInt16LE(20, 0)
  header.writeUInt16LE(isDeflated ? 8 : 0, 4)
  header.writeUInt32LE(crc32(content), 10)
  header.writeUInt32LE(data.length, 14)
  header.writeUInt32LE(content.length, 18)
  header.writeUInt16LE(title.length, 22)
  const signature = (word: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(word)
    return bytes
  }
  const local = Buffer.concat([signature(0x04034b50), header, title, data])
  const entry = Buffer.concat([signature(0x02014b50), Buffer.of(20, 0), header, Buffer.alloc(14), title])
  const end = Buffer.alloc(18)
  end.writeUInt16LE(1, 4)
  end.writeUInt16LE(1, 6)
  end.writeUInt32LE(entry.length, 8)
  end.writeUInt32LE(local.length, 12)
  return Buffer.concat([local, entry, signature(0x06054b50), end])
}
